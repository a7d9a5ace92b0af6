import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import {
  type LinkClaims,
  type NonEmpty,
  parseAccountId,
  parseRecipientId,
  type Secrets,
} from "@postern/core";
import { parseLinkSecrets } from "./link-secrets.ts";

const mac = (key: string, payload: string): string =>
  createHmac("sha256", key).update(payload).digest("base64url");

/**
 * Compares two texts in constant time. It compares the texts rather than the bytes they encode, because decoding
 * base64url ignores unused bits and characters outside its alphabet.
 */
const same = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const parseClaims = (input: unknown): LinkClaims | null => {
  if (typeof input !== "object" || input === null) return null;
  const { nonce, expiresAt, ...ids } = input as { readonly [claim in keyof LinkClaims]?: unknown };
  if (typeof nonce !== "string" || typeof expiresAt !== "number") return null;
  return parseAccountId(ids.account)
    .andThen((account) =>
      parseRecipientId(ids.recipientId).map((recipientId) => ({ account, recipientId, nonce, expiresAt })),
    )
    .unwrapOr(null);
};

/**
 * Random numbers from the operating system's cryptographic generator, and verification links signed with HMAC-SHA-256.
 *
 * A token is `base64url(JSON of the claims) + "." + base64url(HMAC)`. It is signed, not encrypted: possession
 * of the link reveals the account and the recipient's id. Only a process that has a key can make a token that opens.
 *
 * - The first key seals; every key opens. To replace a key without breaking links already sent, pass `[new, old]` until
 *   those have expired (24 hours, `LINK_LIFETIME`), then `[new]`.
 * - Nothing is stored: tokens survive restarts, and any process with the same keys opens them.
 * - `open` compares seals in constant time, and parses the payload only after its seal has been verified. It returns
 *   null for any text that was not sealed with one of the keys, and for any change to a token, even of unused bits in
 *   its encoding.
 * - `open` does not check `expiresAt`; `verifyRecipient` does.
 * - `nonce` has 128 random bits. `random` accepts bounds from 1 to 2^32 and is uniform.
 * - Use the keys for nothing else: the key is all that proves a link.
 *
 * `verifyRecipient` accepts tokens of up to 512 characters (`MAX_TOKEN_LENGTH`). With ids from `uuids`, a token fits if
 * the account id takes at most 225 bytes in UTF-8, with `"` and `\` counted twice. Every ASCII account id without these
 * two characters fits.
 *
 * @param keys One or more strings of at least 32 bytes (UTF-8) each, random, for example the output of
 *   `openssl rand -base64 48`.
 * @throws TypeError when the keys are not of that form (`parseLinkSecrets`). The message never contains a key.
 *
 * @example
 * ```ts
 * const secrets = hmacSecrets([newKey, oldKey]);
 * const token = secrets.seal({ account, recipientId, nonce: secrets.nonce(), expiresAt });
 * secrets.open(token); // the claims
 * secrets.open(`${token}x`); // null
 * ```
 */
export const hmacSecrets = (keys: NonEmpty<string>): Secrets => {
  const parsed = parseLinkSecrets(keys);
  if (parsed.isErr()) {
    throw new TypeError(`The link secrets ${parsed.error.message}. Create one with: openssl rand -base64 48`);
  }
  const checked = parsed.value;

  return {
    random: (below) => randomInt(below),

    nonce: () => randomBytes(16).toString("base64url"),

    seal: ({ account, recipientId, nonce, expiresAt }) => {
      const payload = Buffer.from(JSON.stringify({ account, recipientId, nonce, expiresAt })).toString(
        "base64url",
      );
      return `${payload}.${mac(checked[0], payload)}`;
    },

    open: (token) => {
      const [payload, seal, ...rest] = token.split(".");
      if (payload === undefined || seal === undefined || rest.length > 0) return null;
      if (!checked.some((key) => same(mac(key, payload), seal))) return null;
      return parseClaims(parseJson(Buffer.from(payload, "base64url").toString()));
    },
  };
};
