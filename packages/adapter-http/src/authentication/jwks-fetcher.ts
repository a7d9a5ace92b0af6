import { err, ok, type Result, type Unavailable } from "@postern/core";
import * as z from "zod";
import { isLoopback } from "../syntax/loopback.ts";

const FETCH_TIMEOUT_MS = 3000;

/** Far more than needed: a key takes less than 1 KiB, and an issuer has a handful of them. */
const MAX_JWKS_BYTES = 256 * 1024;

/** The base64url length of a 2048-bit modulus: RFC 7518 requires RSA keys of at least that size. */
const MIN_MODULUS_LENGTH = 342;

const signingKey = z.object({
  kty: z.literal("RSA"),
  kid: z.string().min(1),
  n: z.string().min(MIN_MODULUS_LENGTH),
  e: z.string(),
  use: z.literal("sig").default("sig"),
  alg: z.literal("RS256").default("RS256"),
});

/** The set may also contain keys for other purposes; they are left out. */
const jwks = z.object({ keys: z.array(z.unknown()) }).transform(({ keys }) => ({
  keys: keys
    .map((key) => signingKey.safeParse(key))
    .filter(({ success }) => success)
    .map(({ data }) => data)
    .filter((key) => key !== undefined),
}));

/** The keys that may sign ID tokens. */
export type Jwks = z.output<typeof jwks>;

/**
 * An attacker who can replace a key in transit can sign tokens.
 *
 * @throws Error unless the keys are fetched over https or from this machine
 */
export const assertJwksUri = (uri: string): void => {
  const { protocol, hostname } = new URL(uri);
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return;
  throw new Error("The JWKS must be fetched over https, or over http from loopback");
};

/** The text of a response. Throws if it is longer than 256 KiB, without reading further. */
const readText = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Throwing cancels the download.
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_JWKS_BYTES) throw new Error("The JWKS is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

/** The issuer's current keys, at most 256 KiB. Takes at most 3 seconds. Does not follow redirects, which could lead away from https. */
export const fetchJwks = async (uri: string): Promise<Result<Jwks, Unavailable>> => {
  try {
    const response = await fetch(uri, { redirect: "error", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    const text = await readText(response);
    return response.ok ? ok(jwks.parse(JSON.parse(text))) : err({ code: "unavailable" });
  } catch {
    return err({ code: "unavailable" });
  }
};
