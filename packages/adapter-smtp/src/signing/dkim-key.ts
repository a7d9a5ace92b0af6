import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { err, ok, type Result } from "@postern/core";

/** In bits. Verifiers may ignore signatures of shorter RSA keys (RFC 8301, section 3.2, recommends this length). */
export const MIN_DKIM_KEY_BITS = 2048;

/** An RSA private key that `dkimSigner` can sign with. */
export type DkimKey = { readonly key: KeyObject; readonly bits: number };

/** Why a key cannot be used. Never repeats any part of the key. */
export type DkimKeyInvalid =
  /** It is not a private key in PEM without a passphrase; `why` is a sentence about `it`. */
  | { readonly code: "unreadable"; readonly why: string }
  | { readonly code: "not_rsa"; readonly type: string }
  | { readonly code: "too_short"; readonly bits: number };

const unreadable = (why: string) => err({ code: "unreadable", why } as const);

const parse = (pem: string): Result<KeyObject, DkimKeyInvalid> => {
  if (!pem.includes("-----BEGIN ")) return unreadable("it is not PEM");
  if (pem.includes("ENCRYPTED")) return unreadable("it has a passphrase");
  if (/-----BEGIN [A-Z ]*(PUBLIC KEY|CERTIFICATE)-----/.test(pem))
    return unreadable("it is not a private key");
  try {
    return ok(createPrivateKey(pem));
  } catch {
    // OpenSSL's error says nothing helpful.
    return unreadable("it cannot be read");
  }
};

/** Parses an RSA private key of at least 2048 bits, in PEM, without a passphrase, and signs with it once. */
export const parseDkimKey = (pem: string): Result<DkimKey, DkimKeyInvalid> =>
  parse(pem).andThen((key): Result<DkimKey, DkimKeyInvalid> => {
    if (key.asymmetricKeyType !== "rsa") return err({ code: "not_rsa", type: String(key.asymmetricKeyType) });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (bits < MIN_DKIM_KEY_BITS) return err({ code: "too_short", bits });
    const probe = Buffer.from("probe");
    if (!verify("sha256", probe, createPublicKey(key), sign("sha256", probe, key)))
      return unreadable("its signatures are wrong");
    return ok({ key, bits });
  });
