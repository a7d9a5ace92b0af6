import { fromBase64, joined, randomBytes, sha256, toBase64, utf8 } from "./bytes.ts";

/*
 * The Secure Remote Password protocol, version 6a (RFC 5054), as Cognito has it: numbers are hashed as two's complement with the fewest
 * bytes, `x` also has the pool's name, and the proof is an HMAC by a key that HKDF (RFC 5869) derives.
 */

/** The 3072-bit group (RFC 5054, appendix A). */
const N = BigInt(
  `0xFFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74\
020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F1437\
4FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF05\
98DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB\
9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B\
E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718\
3995497CEA956AE515D2261898FA051015728E5A8AAAC42DAD33170D04507A33\
A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7\
ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864\
D87602733EC86A64521F2B18177B200CBBE117577A615D6C770988C0BAD946E2\
08E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF`,
);
const g = 2n;

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = base % N;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % N;
    square = (square * square) % N;
  }
  return result;
};

const numberOf = (bytes: ArrayBuffer | Uint8Array): bigint =>
  BigInt(`0x${Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")}`);

/** A number that is not negative, as two's complement with the fewest bytes. */
const padded = (number: bigint): Uint8Array<ArrayBuffer> => {
  const digits = number.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const signed = /^[89a-f]/.test(even) ? `00${even}` : even;
  return Uint8Array.from(signed.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
};

const hashed = async (...parts: readonly Uint8Array[]): Promise<bigint> =>
  numberOf(await sha256(joined(...parts)));

/** The client's half: a secret, and what the server is told of it. */
export type Ephemeral = { readonly a: bigint; readonly A: bigint };

/** @param a of 256 bits or more (RFC 5054, section 2.5.4) */
export const ephemeral = (a: bigint = numberOf(randomBytes(32))): Ephemeral => ({ a, A: power(g, a) });

/**
 * The secret that both sides share, `(B - k * g^x) ^ (a + u * x)`.
 *
 * @returns null if the server could choose it, so that it would prove nothing: `B` is a multiple of N, or `u` is 0 (RFC 5054, section 2.5.4)
 */
export const sharedSecret = (a: bigint, B: bigint, k: bigint, u: bigint, x: bigint): bigint | null => {
  if (B % N === 0n || u === 0n) return null;
  const base = (B - k * power(g, x)) % N;
  return power(base < 0n ? base + N : base, a + u * x);
};

/** What Cognito asks with PASSWORD_VERIFIER. */
export type Question = {
  /** Hexadecimal, as are the next. */
  readonly salt: string;
  readonly B: string;
  /** Base64. */
  readonly secretBlock: string;
  /** The user's name in the pool, which need not be what they have typed. */
  readonly userId: string;
};

/**
 * The proof that the user knows the password: PASSWORD_CLAIM_SIGNATURE, in Base64. The salt is read as a number, as by Cognito: zeros at
 * its start do not count.
 *
 * @param pool the part of the pool's id after `_`
 * @returns null if the server's numbers must be refused
 * @throws if the question is malformed
 */
export const passwordProof = async (
  { a, A }: Ephemeral,
  pool: string,
  { salt, B: serverHex, secretBlock, userId }: Question,
  password: string,
  timestamp: string,
): Promise<string | null> => {
  const B = BigInt(`0x${serverHex}`);
  const k = await hashed(padded(N), padded(g));
  const u = await hashed(padded(A), padded(B));
  const identity = await sha256(utf8(`${pool}${userId}:${password}`));
  const x = await hashed(padded(BigInt(`0x${salt}`)), new Uint8Array(identity));
  const S = sharedSecret(a, B, k, u, x);
  if (S === null) return null;

  const material = await crypto.subtle.importKey("raw", padded(S), "HKDF", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: padded(u), info: utf8("Caldera Derived Key") },
    material,
    { name: "HMAC", hash: "SHA-256", length: 128 },
    false,
    ["sign"],
  );
  const message = joined(utf8(pool + userId), fromBase64(secretBlock), utf8(timestamp));
  return toBase64(await crypto.subtle.sign("HMAC", key, message));
};

/** A time as Cognito wants it: `Sat Nov 28 01:02:03 UTC 2026`, with a day of one digit where it has one. */
export const srpTimestamp = (at: number): string => {
  const [weekday = "", day, month, year, time] = new Date(at).toUTCString().split(" ");
  return `${weekday.slice(0, 3)} ${month} ${Number(day)} ${time} UTC ${year}`;
};
