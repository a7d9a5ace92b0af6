import { type Cause, err, ok, type Result } from "@postern/core";
import * as z from "zod";
import { baseOf, defaultJwksUri, fetchJson, NO_KEY, parseJwks } from "./jwks-fetcher.ts";

/** How far this machine's clock is ahead of another, in milliseconds: at least `from` and at most `to`, negative if behind. */
export type ClockDifference = { readonly from: number; readonly to: number };

export type IssuerCheck = {
  /** Where the keys were fetched from. */
  readonly jwksUri: string;
  /** How many keys can sign ID tokens, at least one; or why none can be used. */
  readonly keys: Result<number, Cause>;
  /** What the issuer publishes about itself (OpenID Connect Discovery); or why that is not known, such as `HTTP 404`. */
  readonly published: Result<{ readonly issuer: string; readonly jwksUri: string }, Cause>;
  /** How this machine's clock differs from the issuer's; null if no response gave the time. */
  readonly clock: ClockDifference | null;
};

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });

const SECOND = 1000;

/**
 * How this machine's clock differs from that of the server that sent a response. The time in the response is truncated to
 * the second, and was taken at some moment between request and response. If a cache kept the response, its age is added.
 */
const differenceOf = (
  { headers }: Response,
  { sent, received }: { readonly sent: number; readonly received: number },
): ClockDifference | null => {
  const date = Date.parse(headers.get("date") ?? "");
  const age = headers.get("age");
  if (Number.isNaN(date) || (age !== null && !/^\d{1,9}$/.test(age))) return null;
  const earliest = date + Number(age ?? 0) * SECOND;
  const latest = earliest + (age === null ? SECOND : 2 * SECOND);
  return { from: sent - latest, to: received - earliest };
};

const timed = async (uri: string) => {
  const sent = Date.now();
  const fetched = await fetchJson(uri);
  const clock = fetched.map(({ response }) => differenceOf(response, { sent, received: Date.now() }));
  return { document: fetched.map(({ document }) => document), clock: clock.unwrapOr(null) };
};

/**
 * Asks an issuer for what `idTokenAuthorizer` needs from it, and for what it says about itself. Takes at most 3 seconds.
 * Never rejects.
 *
 * @param options as those of `idTokenAuthorizer`
 * @example
 * ```ts
 * const { keys } = await checkIssuer({ issuer: "https://id.example.com" });
 * if (keys.isErr()) console.error(keys.error.reason); // HTTP 404
 * ```
 */
export const checkIssuer = async ({
  issuer,
  jwksUri = defaultJwksUri(issuer),
}: {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
}): Promise<IssuerCheck> => {
  const [keys, discovery] = await Promise.all([
    timed(jwksUri),
    timed(`${baseOf(issuer)}/.well-known/openid-configuration`),
  ]);
  return {
    jwksUri,
    keys: keys.document.andThen(parseJwks).andThen(({ size }) => (size === 0 ? err(NO_KEY) : ok(size))),
    published: discovery.document.andThen((document) => {
      const parsed = Discovery.safeParse(document);
      if (!parsed.success) return err({ source: "jwks", reason: "not a configuration of OpenID Connect" });
      return ok({ issuer: parsed.data.issuer, jwksUri: parsed.data.jwks_uri });
    }),
    clock: discovery.clock ?? keys.clock,
  };
};
