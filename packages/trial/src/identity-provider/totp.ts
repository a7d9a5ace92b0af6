import { createHmac } from "node:crypto";

/** Seconds for which a code is shown. */
const STEP = 30;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The octets of a secret in base32 (RFC 4648), as authenticator apps take it. */
const octetsOf = (secret: string): Buffer => {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g)?.map((octet) => Number.parseInt(octet, 2)) ?? []);
};

/** The number of the step at this time, in milliseconds. */
export const stepAt = (time: number): number => Math.floor(time / 1000 / STEP);

/** The code that an authenticator app shows in a step (RFC 6238, with SHA-1 and six digits). */
export const codeOf = (secret: string, step: number): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", octetsOf(secret)).update(counter).digest();
  const number = digest.readUInt32BE(digest.readUInt8(digest.length - 1) & 0xf) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
};
