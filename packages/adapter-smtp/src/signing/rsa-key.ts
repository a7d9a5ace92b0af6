import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { promisify } from "node:util";

/** Verifiers may ignore shorter keys (RFC 8301, section 3.2, recommends this length). */
const MIN_BITS = 2048;

const signAsync: (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer> = promisify(sign);

const invalid = (why: string) =>
  new TypeError(
    `key must be an RSA private key of at least ${MIN_BITS} bits in PEM, without a passphrase: ${why}`,
  );

const parse = (pem: string): KeyObject => {
  if (!pem.includes("-----BEGIN ")) throw invalid("it is not PEM");
  if (pem.includes("ENCRYPTED")) throw invalid("it has a passphrase");
  if (/-----BEGIN [A-Z ]*(PUBLIC KEY|CERTIFICATE)-----/.test(pem)) throw invalid("it is not a private key");
  try {
    return createPrivateKey(pem);
  } catch {
    // The error of OpenSSL says nothing that helps.
    throw invalid("it cannot be read");
  }
};

/** Signs with RSA and SHA-256, outside the event loop. The signature is in base64. */
export type Rsa = (data: string) => Promise<string>;

/**
 * The key in `pem`, tried once.
 *
 * @throws TypeError that says what is wrong, without repeating anything of the key.
 */
export const parseRsaKey = (pem: string): Rsa => {
  const key = parse(pem);
  if (key.asymmetricKeyType !== "rsa") throw invalid(`it is a key for ${key.asymmetricKeyType}`);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_BITS) throw invalid(`it has ${bits} bits`);
  const probe = Buffer.from("probe");
  if (!verify("sha256", probe, createPublicKey(key), sign("sha256", probe, key)))
    throw invalid("its signatures are wrong");
  return async (data) => (await signAsync("sha256", Buffer.from(data, "latin1"), key)).toString("base64");
};
