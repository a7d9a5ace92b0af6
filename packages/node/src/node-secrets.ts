import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from "node:crypto";
import type { Concealment, LinkClaims, NonEmpty, Result, Secrets } from "@postern/core";
import type { LedgerKey } from "@postern/core/store";
import { concealment } from "./concealment.ts";
import { parseLinkClaims } from "./link-claims.ts";
import { type LinkSecretsInvalid, parseLinkSecrets } from "./link-secrets.ts";
import { openSignedLink } from "./signed-link.ts";

const CIPHER = "aes-256-gcm";
/** NIST SP 800-38D, section 8.2.2: random 96-bit nonces, for at most 2^32 messages a key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Derives a separate key for each purpose, so that different uses of a secret cannot affect each other (RFC 5869). */
const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `postern ${purpose}`, 32));

const encrypt = (key: Buffer, text: string): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64url");
};

/** Decrypts the token; null if it was not encrypted with this key. */
const decrypt = (key: Buffer, token: string): string | null => {
  const bytes = Buffer.from(token, "base64url");
  // Decoding ignores unused bits and invalid characters, so without this check several tokens would decode to the same bytes.
  if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== token) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
};

const encodeClaims = ({ account, recipientId, nonce, mailbox, expiresAt }: LinkClaims): string =>
  JSON.stringify([account, recipientId, nonce, mailbox, expiresAt]);

/** The claims in a text that this service has encrypted. */
const decodeClaims = (text: string): LinkClaims | null => {
  const claims: unknown = JSON.parse(text);
  if (!Array.isArray(claims)) return null;
  const [account, recipientId, nonce, mailbox, expiresAt]: readonly unknown[] = claims;
  return parseLinkClaims({ account, recipientId, nonce, mailbox, expiresAt });
};

const checked = <T>(name: string, parsed: Result<T, LinkSecretsInvalid>): T =>
  parsed.match(
    (secrets) => secrets,
    ({ message }) => {
      throw new TypeError(`The ${name} ${message}. Create one with: openssl rand -base64 48`);
    },
  );

export type NodeSecretsSettings = {
  /** The secrets for verification links: the first one seals, all of them open. At least 32 bytes (UTF-8) each. */
  readonly linkSecrets: NonEmpty<string>;
  /**
   * The secret for the keys of the mail ledger and the hashes of API keys: at least 32 bytes. Defaults to the last link secret. When you
   * remove that one from `linkSecrets`, pass it here, and keep it from then on: with a different secret, no entry of the ledger is found
   * anymore, suppressed mailboxes get messages again, and no API key works.
   */
  readonly mailboxSecret?: string | undefined;
};

/** The part of `nodeSecrets` that needs no secret: for programs that send no links and look up no mailbox. */
export const nodeRandom: Pick<Secrets, "random" | "nonce"> = {
  random: (below) => randomInt(below),
  nonce: () => randomBytes(16).toString("base64url"),
};

/**
 * Random numbers from the operating system's cryptographic generator, encrypted verification links, and keyed hashes.
 *
 * A token is the claims, encrypted and authenticated with AES-256-GCM under a key derived (HKDF-SHA-256) from the link
 * secret: without the secret it reveals nothing, and only a process that has a secret can make a token that opens.
 *
 * - To replace a link secret without breaking links already sent, pass `[new, old]` until those have expired (24 hours,
 *   `LINK_LIFETIME`), then `[new]` with `mailboxSecret: old`. In later rotations, leave `mailboxSecret` unchanged.
 * - Nothing is stored: tokens survive restarts, and any process with the same secrets opens them.
 * - `open` returns null for any text that was not sealed with one of the secrets, and for any change to a token, even of
 *   unused bits in its encoding. It does not check `expiresAt`; `verifyRecipient` does.
 * - `hash` is HMAC-SHA-256, 43 characters of base64url.
 * - `conceal` is a synthetic initialization vector (RFC 5297, section 1.3.2, here HMAC-SHA-256 of context and text, cut to 128 bits)
 *   and AES-256-CTR, under keys from the mailbox secret: what was concealed can be revealed as long as that secret stays the same.
 * - `nonce` has 128 random bits. `random` accepts bounds from 1 to 2^32 and is uniform.
 * - Use the secrets for nothing else.
 *
 * @throws TypeError when a secret is shorter than 32 bytes, or there is none. The message never contains a secret.
 *
 * @example
 * ```ts
 * const secrets = nodeSecrets({ linkSecrets: [newSecret, oldSecret] });
 * const token = secrets.seal({ account, recipientId, nonce: secrets.nonce(), mailbox, expiresAt });
 * secrets.open(token); // the claims
 * secrets.open(`${token}x`); // null
 * ```
 */
export const nodeSecrets = ({ linkSecrets, mailboxSecret }: NodeSecretsSettings): Secrets & Concealment => {
  const secrets = checked("link secrets", parseLinkSecrets(linkSecrets));
  const [first, ...others] = secrets;
  const [mailbox] = checked("mailbox secret", parseLinkSecrets([mailboxSecret ?? secrets.at(-1)]));
  const sealing = derive(first, "verification link");
  const opening = [sealing, ...others.map((secret) => derive(secret, "verification link"))];
  const hashing = derive(mailbox, "mail ledger");
  return {
    ...nodeRandom,

    ...concealment((purpose) => derive(mailbox, purpose)),

    // Safe because 32 bytes are 43 characters of base64url.
    hash: (text) => createHmac("sha256", hashing).update(text).digest("base64url") as LedgerKey,

    seal: (claims) => encrypt(sealing, encodeClaims(claims)),

    open: (token) => {
      for (const key of opening) {
        const text = decrypt(key, token);
        if (text !== null) return decodeClaims(text);
      }
      return openSignedLink(secrets, token);
    },
  };
};
