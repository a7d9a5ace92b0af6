import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { Concealment } from "@postern/core";

const CIPHER = "aes-256-ctr";
/** The initialization vector, which is also what authenticates the text. */
const IV_BYTES = 16;

/**
 * Deterministic authenticated encryption: the initialization vector is a keyed hash of what is encrypted (RFC 5297, section
 * 1.3.2), so it repeats only where everything else does.
 *
 * @param derive a key of 32 bytes for each purpose
 */
export const concealment = (derive: (purpose: string) => Buffer): Concealment => {
  const hashing = derive("concealed text: vector");
  const encrypting = derive("concealed text: cipher");

  const vectorOf = (text: string, context: string): Buffer =>
    createHmac("sha256", hashing)
      .update(`${Buffer.byteLength(context)}:${context}${text}`)
      .digest()
      .subarray(0, IV_BYTES);

  return {
    conceal: (text, context) => {
      const vector = vectorOf(text, context);
      const cipher = createCipheriv(CIPHER, encrypting, vector);
      return Buffer.concat([vector, cipher.update(text, "utf8"), cipher.final()]).toString("base64url");
    },
    reveal: (concealed, context) => {
      const bytes = Buffer.from(concealed, "base64url");
      // Decoding ignores unused bits and invalid characters.
      if (bytes.length < IV_BYTES || bytes.toString("base64url") !== concealed) return null;
      const vector = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv(CIPHER, encrypting, vector);
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]).toString(
        "utf8",
      );
      return timingSafeEqual(vectorOf(text, context), vector) ? text : null;
    },
  };
};
