import { type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import { type DkimKeyInvalid, MIN_DKIM_KEY_BITS, parseDkimKey } from "./dkim-key.ts";

const signAsync: (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer> = promisify(sign);

const whyInvalid = (invalid: DkimKeyInvalid): string => {
  switch (invalid.code) {
    case "unreadable":
      return invalid.why;
    case "not_rsa":
      return `it is a key for ${invalid.type}`;
    case "too_short":
      return `it has ${invalid.bits} bits`;
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
  const parsed = parseDkimKey(pem);
  if (parsed.isErr())
    throw new TypeError(
      `key must be an RSA private key of at least ${MIN_DKIM_KEY_BITS} bits in PEM, without a passphrase: ${whyInvalid(parsed.error)}`,
    );
  const { key } = parsed.value;
  return async (data) => (await signAsync("sha256", Buffer.from(data, "latin1"), key)).toString("base64");
};
