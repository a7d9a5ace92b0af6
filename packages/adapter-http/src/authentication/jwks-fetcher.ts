import type { Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import { z } from "zod";

/** How long the issuer may take to answer, in milliseconds. */
const PATIENCE = 3000;

/** RFC 7518 asks for RSA keys of at least 2048 bits: so many characters of base64url. */
const SHORTEST_MODULUS = 342;

const SigningKey = z.object({
  kty: z.literal("RSA"),
  kid: z.string().min(1),
  n: z.string().min(SHORTEST_MODULUS),
  e: z.string(),
  use: z.literal("sig").default("sig"),
  alg: z.literal("RS256").default("RS256"),
});

/** Keys for other purposes may stand beside those that sign ID tokens; they are left out. */
const Jwks = z.object({ keys: z.array(z.unknown()) }).transform(({ keys }) => ({
  keys: keys
    .map((key) => SigningKey.safeParse(key))
    .filter(({ success }) => success)
    .map(({ data }) => data)
    .filter((key) => key !== undefined),
}));
/** The keys that may sign ID tokens. */
export type Jwks = z.output<typeof Jwks>;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Keys that anybody on the way could change would let anybody sign tokens. Throws unless they come by https or from this machine. */
export const assertJwksUri = (uri: string): void => {
  const { protocol, hostname } = new URL(uri);
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return;
  throw new Error("The JWKS must be fetched by https, or by http on loopback");
};

/** The issuer's keys as they are now. Follows no redirect: it might lead off https. */
export const fetchJwks = async (uri: string): Promise<Result<Jwks, Unavailable>> => {
  try {
    const response = await fetch(uri, { redirect: "error", signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) return err({ code: "unavailable" });
    return ok(Jwks.parse(await response.json()));
  } catch {
    return err({ code: "unavailable" });
  }
};
