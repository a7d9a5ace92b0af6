import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { AccountId, type LinkClaims, type NonEmpty, RecipientId, type Secrets } from "@postern/core";
import { z } from "zod";

const Claims = z.strictObject({
  account: AccountId,
  recipientId: RecipientId,
  nonce: z.string(),
  expiresAt: z.int(),
});

const mac = (key: string, payload: string): string =>
  createHmac("sha256", key).update(payload).digest("base64url");

/**
 * Whether both are the same text, in a time that tells nothing of where they differ. Texts, not the bytes
 * they stand for: decoding base64url forgives unused bits and foreign characters.
 */
const same = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

/**
 * Seals claims as `base64url(JSON) + "." + base64url(HMAC-SHA-256)`: anyone can read them, nobody without a
 * key can make them. The first key seals; every key opens, so that links outlive a change of keys. The
 * payload is parsed only once its seal has proved good.
 *
 * A token is at most 512 characters long for ids made by this service and any account of ASCII letters,
 * digits and punctuation.
 */
export const hmacSecrets = (keys: NonEmpty<string>): Secrets => ({
  random: (below) => randomInt(below),

  nonce: () => randomBytes(16).toString("base64url"),

  seal: ({ account, recipientId, nonce, expiresAt }) => {
    const payload = Buffer.from(JSON.stringify({ account, recipientId, nonce, expiresAt })).toString(
      "base64url",
    );
    return `${payload}.${mac(keys[0], payload)}`;
  },

  open: (token): LinkClaims | null => {
    const [payload, seal, ...rest] = token.split(".");
    if (payload === undefined || seal === undefined || rest.length > 0) return null;
    if (!keys.some((key) => same(mac(key, payload), seal))) return null;
    const claims = Claims.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString()));
    return claims.success ? claims.data : null;
  },
});
