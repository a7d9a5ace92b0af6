import { createPublicKey, type KeyObject, verify, type webcrypto } from "node:crypto";
import * as z from "zod";

/** The algorithms that ID tokens may be signed with (RFC 7518, section 3.1, and RFC 8037, section 3.1), the usual one first. */
export const ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/** A public key of the issuer, with the one algorithm that it is used for. */
export type SigningKey = { readonly kid: string; readonly algorithm: Algorithm; readonly key: KeyObject };

/** RFC 7518, section 3.3, requires RSA keys of at least this size. */
const MIN_MODULUS_BITS = 2048;

/** What the members of a key that do not depend on its type must say (RFC 7517, section 4), if they are there. */
const Purpose = z.object({
  kid: z.string().min(1),
  use: z.literal("sig").optional(),
  key_ops: z
    .array(z.string())
    .refine((operations) => operations.includes("verify"))
    .optional(),
});

const text = z.string();

/** The form of the keys for each algorithm. They share no form, so a key is never used for two algorithms. */
const FORMS: Readonly<Record<Algorithm, z.ZodType<webcrypto.JsonWebKey>>> = {
  RS256: z.object({ kty: z.literal("RSA"), alg: z.literal("RS256").exactOptional(), n: text, e: text }),
  ES256: z.object({
    kty: z.literal("EC"),
    crv: z.literal("P-256"),
    alg: z.literal("ES256").exactOptional(),
    x: text,
    y: text,
  }),
  EdDSA: z.object({
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    alg: z.literal("EdDSA").exactOptional(),
    x: text,
  }),
};

/** Null if the key is too short or invalid, such as a point that is not on the curve. */
const publicKey = (jwk: webcrypto.JsonWebKey): KeyObject | null => {
  try {
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const { modulusLength = MIN_MODULUS_BITS } = key.asymmetricKeyDetails ?? {};
    return modulusLength < MIN_MODULUS_BITS ? null : key;
  } catch {
    return null;
  }
};

/** The key in a member of a JWKS; null if it cannot be used to verify ID tokens. */
export const parseSigningKey = (member: unknown): SigningKey | null => {
  const purpose = Purpose.safeParse(member);
  if (!purpose.success) return null;
  for (const algorithm of ALGORITHMS) {
    const { data: jwk } = FORMS[algorithm].safeParse(member);
    const key = jwk === undefined ? null : publicKey(jwk);
    if (key !== null) return { kid: purpose.data.kid, algorithm, key };
  }
  return null;
};

/** Whether a signature is that of the key over these bytes, with the key's own algorithm. */
export const isSignedBy = (
  { algorithm, key }: SigningKey,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean => {
  switch (algorithm) {
    case "RS256":
      return verify("sha256", signed, key, signature);
    case "ES256":
      // The two numbers one after the other, 32 octets each, and not in DER (RFC 7518, section 3.4).
      return (
        signature.length === 64 && verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature)
      );
    case "EdDSA":
      return verify(null, signed, key, signature);
  }
};
