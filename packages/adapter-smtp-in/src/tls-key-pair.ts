import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { err, ok, type Result } from "@postern/core";
import { errorCode } from "./error-code.ts";

/** A certificate with its key, both in PEM. Further certificates of its chain follow it. */
export type TlsKeyPair = { readonly key: string; readonly cert: string };

/** Why a pair cannot be used. Never repeats any part of the key. */
export type TlsKeyPairInvalid =
  /** There is no certificate in PEM. */
  | { readonly code: "not_a_certificate" }
  /** There is no private key in PEM without a passphrase. */
  | { readonly code: "not_a_private_key" }
  /** The key belongs to another certificate. */
  | { readonly code: "other_key" }
  /** OpenSSL refuses the two, for example because the key is too short; `reason` is its code. */
  | { readonly code: "refused"; readonly reason: string };

const parsed = <T>(parse: () => T): T | null => {
  try {
    return parse();
  } catch {
    // OpenSSL's error says nothing helpful.
    return null;
  }
};

/** Whether `smtpIn` can use the pair. Returns the server's own certificate, the first one. */
export const parseTlsKeyPair = ({ key, cert }: TlsKeyPair): Result<X509Certificate, TlsKeyPairInvalid> => {
  const certificate = parsed((): X509Certificate => new X509Certificate(cert));
  if (certificate === null) return err({ code: "not_a_certificate" });
  const privateKey = parsed((): KeyObject => createPrivateKey(key));
  if (privateKey === null) return err({ code: "not_a_private_key" });
  if (!certificate.checkPrivateKey(privateKey)) return err({ code: "other_key" });
  try {
    // It accepts an empty certificate or key, and a key of another type than the certificate's.
    createSecureContext({ key, cert });
    return ok(certificate);
  } catch (error) {
    return err({ code: "refused", reason: errorCode(error) ?? "unknown" });
  }
};
