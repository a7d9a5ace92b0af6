import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/*
 * The server's side of the Secure Remote Password protocol, as Cognito and AWS's libraries speak it: SRP-6a with the
 * 3072-bit group of RFC 5054 and SHA-256, and a proof of its own.
 */

const N = BigInt(
  `0x${[
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD",
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED",
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F",
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B",
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510",
    "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7",
    "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C",
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF",
  ].join("")}`,
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

/** A number's octets, as Java writes a positive one: as few as possible, and the first is below 0x80. */
const octets = (number: bigint): Buffer => {
  const hex = number.toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  return Buffer.from(/^[89a-f]/.test(even) ? `00${even}` : even, "hex");
};

const numberOf = (buffer: Uint8Array): bigint => BigInt(`0x${Buffer.from(buffer).toString("hex")}`);

const hash = (...parts: readonly (Uint8Array | string)[]): Buffer => {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest();
};

const k = numberOf(hash(octets(N), octets(g)));

export type SrpChallenge = {
  /** The id of the pool after its underscore, and the user's name in the pool: all that the proof is about. */
  readonly pool: string;
  readonly userId: string;
  /** Hexadecimal, and a number: without leading zeros, and maybe of an odd length. */
  readonly salt: string;
  readonly B: string;
  readonly secret: { readonly b: bigint; readonly verifier: bigint };
};

export const srpChallenge = (
  pool: string,
  userId: string,
  password: string,
  salt: Uint8Array,
): SrpChallenge => {
  const x = numberOf(hash(octets(numberOf(salt)), hash(`${pool}${userId}:${password}`)));
  const verifier = power(g, x);
  const b = numberOf(randomBytes(32));
  const B = (k * verifier + power(g, b)) % N;
  return {
    pool,
    userId,
    salt: numberOf(salt).toString(16),
    B: B.toString(16),
    secret: { b, verifier },
  };
};

/** The client's public number, unless it is none or gives the session key away: a multiple of N (RFC 5054, section 2.5.4). */
export const parseA = (hex: string): bigint | undefined => {
  if (!/^[0-9a-f]{1,1024}$/i.test(hex)) return undefined;
  const A = BigInt(`0x${hex}`);
  return A % N === 0n ? undefined : A;
};

/** Whether a client that sent `A` knows the password. The signature is in base64, and so is the block that it signs. */
export const isProof = (
  { pool, userId, B, secret: { b, verifier } }: SrpChallenge,
  A: bigint,
  { block, timestamp, signature }: Readonly<Record<"block" | "timestamp" | "signature", string>>,
): boolean => {
  const u = octets(numberOf(hash(octets(A), octets(BigInt(`0x${B}`)))));
  const shared = octets(power(A * power(verifier, numberOf(u)), b));
  const key = Buffer.from(hkdfSync("sha256", shared, u, "Caldera Derived Key", 16));
  const expected = createHmac("sha256", key)
    .update(`${pool}${userId}`)
    .update(Buffer.from(block, "base64"))
    .update(timestamp)
    .digest();
  const given = Buffer.from(signature, "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
};
