import { fromBase64, hmacSha256, sha256, toBase64, utf8 } from "./bytes.ts";
import { insist } from "./refusal.ts";

/*
 * The Secure Remote Password protocol, version 6a (RFC 5054), as Cognito has it: numbers are hashed as two's complement with the fewest
 * bytes, `x` also has the pool's name, and the proof is an HMAC by a key that HKDF (RFC 5869) derives.
 */

/**
 * The 3072-bit prime 2^3072 - 2^3008 - 1 + 2^64 * ([2^2942 pi] + 1690314) (RFC 3526, section 5). It is computed, which takes milliseconds,
 * because its 768 digits would be a tenth of the package.
 */
const prime = (): bigint => {
  // pi is 6 times the arcsine of 1/2. Its series, with 64 more bits than are needed.
  let term = 3n << (2942n + 64n);
  let pi = term;
  for (let odd = 1n; term; odd += 2n) {
    term = (term * odd) / (4n * (odd + 1n));
    pi += term / (odd + 2n);
  }
  return (1n << 3072n) - (1n << 3008n) - 1n + (((pi >> 64n) + 1690314n) << 64n);
};

const N = /* @__PURE__ */ prime();
const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = base % N;
  for (let rest = exponent; rest; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % N;
    square = (square * square) % N;
  }
  return result;
};

const numberOf = (bytes: Uint8Array): bigint =>
  bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);

/** A number that is not negative, as two's complement with the fewest bytes. */
const padded = (number: bigint): Uint8Array<ArrayBuffer> => {
  const digits = number.toString(16);
  // An even number of digits, the first of which is less than 8.
  const hex = (digits.length % 2 ? "0" : /^[89a-f]/.test(digits) ? "00" : "") + digits;
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
};

/** What the server is told of the client's secret. */
export const publicKey = (a: bigint): bigint => power(2n, a);

/** A secret of 256 bits, as RFC 5054, section 2.5.4, wants it. */
export const newSecret = (): bigint => numberOf(crypto.getRandomValues(new Uint8Array(32)));

/**
 * The secret that both sides share, `(B - k * g^x) ^ (a + u * x)`.
 *
 * @throws Refusal if the server could choose it, so that it would prove nothing: `B` is a multiple of N (RFC 5054, section 2.5.3), or `u` is 0
 */
export const sharedSecret = (a: bigint, B: bigint, k: bigint, u: bigint, x: bigint): bigint => {
  insist(B % N && u, "untrusted", "SRP_B");
  return power(B + N - ((k * power(2n, x)) % N), a + u * x);
};

/** What Cognito asks with PASSWORD_VERIFIER, under its names. */
export type Question = {
  /** Hexadecimal, as is the next. */
  readonly SALT: string;
  readonly SRP_B: string;
  /** Base64. */
  readonly SECRET_BLOCK: string;
  /** The user's name in the pool, which need not be what they have typed. */
  readonly USER_ID_FOR_SRP: string;
};

/**
 * The proof that the user knows the password: PASSWORD_CLAIM_SIGNATURE, in Base64. The salt is read as a number, as by Cognito: zeros at
 * its start do not count.
 *
 * @param pool the part of the pool's id after `_`
 * @throws Refusal if the server's numbers would make it worthless; others if the question is malformed
 */
export const passwordProof = async (
  a: bigint,
  pool: string,
  { SALT, SRP_B, SECRET_BLOCK, USER_ID_FOR_SRP }: Question,
  password: string,
  timestamp: string,
): Promise<string> => {
  const B = BigInt(`0x${SRP_B}`);
  const k = numberOf(await sha256(padded(N), padded(2n)));
  const u = numberOf(await sha256(padded(publicKey(a)), padded(B)));
  const identity = await sha256(utf8(`${pool + USER_ID_FOR_SRP}:${password}`));
  const x = numberOf(await sha256(padded(BigInt(`0x${SALT}`)), identity));
  const S = sharedSecret(a, B, k, u, x);
  // HKDF, of which one block is enough.
  const extracted = await hmacSha256(padded(u), padded(S));
  const expanded = await hmacSha256(extracted, utf8("Caldera Derived Key\x01"));
  const key = expanded.slice(0, 16);
  return toBase64(
    await hmacSha256(key, utf8(pool + USER_ID_FOR_SRP), fromBase64(SECRET_BLOCK), utf8(timestamp)),
  );
};

/** A time as Cognito wants it: `Sat Nov 28 01:02:03 UTC 2026`, with a day of one digit where it has one. */
export const srpTimestamp = (at: number): string =>
  new Date(at).toUTCString().replace(/^(...), 0?(\d+) (...) (\d+) (\S+).*/, "$1 $3 $2 $5 UTC $4");
