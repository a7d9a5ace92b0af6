import type { Secrets } from "../ports/secrets.ts";
import type { Brand } from "../values/brand.ts";
import type { LedgerKey } from "../values/ledger-key.ts";

/**
 * `pk_`, 34 random letters and digits (202 bits) and a checksum of these: the CRC-32 (ISO-HDLC) in 6 digits of base 62. So scanners of
 * leaked secrets recognize it, and a mistyped one is refused without asking the store.
 */
export type ApiKeySecret = Brand<string, "ApiKeySecret">;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const IS_SECRET = /^pk_([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/;

const crc32 = (text: string): number => {
  let crc = 0xffff_ffff;
  for (const character of text) {
    crc ^= character.charCodeAt(0);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
};

const checksum = (random: string): string => {
  let digits = "";
  for (let rest = crc32(random); digits.length < 6; rest = Math.floor(rest / 62)) {
    digits = ALPHABET.charAt(rest % 62) + digits;
  }
  return digits;
};

export const newApiKeySecret = (random: Secrets["random"]): ApiKeySecret => {
  const characters = Array.from({ length: 34 }, () => ALPHABET.charAt(random(62))).join("");
  return `pk_${characters}${checksum(characters)}` as ApiKeySecret;
};

/** The secret in this text; null if it cannot be one. */
export const parseApiKeySecret = (text: string): ApiKeySecret | null => {
  const [secret, random = "", check] = IS_SECRET.exec(text) ?? [];
  return secret !== undefined && checksum(random) === check ? (secret as ApiKeySecret) : null;
};

export const hashApiKeySecret = (hash: Secrets["hash"], secret: ApiKeySecret): LedgerKey =>
  hash(`api key:${secret}`);
