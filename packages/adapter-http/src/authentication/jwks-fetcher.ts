import { createPublicKey, type KeyObject } from "node:crypto";
import { type Cause, err, ok, type Result } from "@postern/core";
import * as z from "zod";
import { isSecureUrl } from "../syntax/secure-url.ts";

const FETCH_TIMEOUT_MS = 3000;

/** Far more than needed: a key takes less than 1 KiB, and an issuer has a handful of them. */
const MAX_JWKS_BYTES = 256 * 1024;

/** RFC 7518, section 3.3, requires RSA keys of at least this size. */
const MIN_MODULUS_BITS = 2048;

/** Null if the key is too short or invalid. */
const publicKey = (n: string, e: string): KeyObject | null => {
  try {
    const key = createPublicKey({ key: { kty: "RSA", n, e }, format: "jwk" });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_MODULUS_BITS ? null : key;
  } catch {
    return null;
  }
};

const signingKey = z
  .object({
    kty: z.literal("RSA"),
    kid: z.string().min(1),
    n: z.string(),
    e: z.string(),
    use: z.literal("sig").optional(),
    alg: z.literal("RS256").optional(),
  })
  .transform(({ kid, n, e }, context) => {
    const key = publicKey(n, e);
    if (key !== null) return { kid, key };
    context.addIssue("must be an RSA key of at least 2048 bits");
    return z.NEVER;
  });

/** The set may also contain keys for other purposes, and unusable ones; they are left out. Of two with the same id, the first counts. */
const jwks = z.object({ keys: z.array(z.unknown()) }).transform(
  ({ keys }): Jwks =>
    new Map(
      keys
        .flatMap((key) => signingKey.safeParse(key).data ?? [])
        .map(({ kid, key }) => [kid, key] as const)
        .toReversed(),
    ),
);

/** The keys that may sign ID tokens, all for RS256, by their ids. */
export type Jwks = ReadonlyMap<string, KeyObject>;

/** The issuer without a trailing slash. */
export const baseOf = (issuer: string): string => issuer.replace(/\/$/, "");

/** Where the keys of an issuer are, unless the operator says otherwise. */
export const defaultJwksUri = (issuer: string): string => `${baseOf(issuer)}/.well-known/jwks.json`;

/**
 * An attacker who can replace a key in transit can sign tokens. Unlike an issuer, the URL may have a query: Azure AD B2C
 * names a policy in it.
 *
 * @throws TypeError unless the keys are fetched over https or from this machine
 */
export const checkJwksUri = (uri: string): void => {
  if (typeof uri === "string" && isSecureUrl(uri.replace(/\?[^#]*$/, ""))) return;
  throw new TypeError(
    "jwksUri must be where the issuer publishes its keys: an https URL (http on loopback only) without credentials or " +
      "fragment, such as https://id.example.com/keys.json. If it is left out, it is the issuer's /.well-known/jwks.json",
  );
};

const because = (reason: string): Cause => ({ source: "jwks", reason });

export const NO_KEY = because("no key for RS256 in it");

/** The response is longer than 256 KiB. */
class TooLong extends Error {}

/** The text of a response. Throws if it is longer than 256 KiB, without reading further. */
const readText = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Throwing cancels the download.
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_JWKS_BYTES) throw new TooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

/** The format of the error codes of Node and TLS. Anything else could be text from the response. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** Why a fetch failed. `fetch` wraps the errors of the system and of TLS. Never the response's text. */
const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof TooLong) return `longer than ${MAX_JWKS_BYTES / 1024} KiB`;
  if (thrown instanceof SyntaxError) return "not JSON";
  if (!(thrown instanceof Error)) return "failed";
  if (thrown.name === "TimeoutError") return `no response within ${FETCH_TIMEOUT_MS} ms`;
  const { cause } = thrown;
  if (!(cause instanceof Error)) return "failed";
  const code = "code" in cause ? String(cause.code) : "";
  if (CODE.test(code)) return code;
  return cause.name === "HTTPParserError" ? "not an HTTP response" : "failed";
};

/** A JSON document, with the response that it was in. */
type Fetched = { readonly response: Response; readonly document: unknown };

/** A document of at most 256 KiB. Takes at most 3 seconds. Does not follow redirects, which could lead away from https. */
export const fetchJson = async (uri: string): Promise<Result<Fetched, Cause>> => {
  try {
    const response = await fetch(uri, { redirect: "manual", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return err(because(`HTTP ${response.status}`));
    }
    return ok({ response, document: JSON.parse(await readText(response)) });
  } catch (thrown) {
    return err(because(reasonOf(thrown)));
  }
};

/** The keys in a document. */
export const parseJwks = (document: unknown): Result<Jwks, Cause> => {
  const parsed = jwks.safeParse(document);
  return parsed.success ? ok(parsed.data) : err(because("not a JWKS"));
};

/** The issuer's current keys, fetched as by `fetchJson`. */
export const fetchJwks = async (uri: string): Promise<Result<Jwks, Cause>> =>
  (await fetchJson(uri)).andThen(({ document }) => parseJwks(document));
