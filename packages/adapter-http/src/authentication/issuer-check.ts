import { type Cause, err, ok, type Result } from "@postern/core";
import { fetchJson } from "./fetch-json.ts";
import { NO_KEY, parseJwks } from "./jwks-fetcher.ts";
import {
  addressIn,
  configurationUri,
  type IssuerConfiguration,
  type KeyAddress,
  parseConfiguration,
} from "./key-address.ts";
import type { Algorithm } from "./signing-key.ts";

/** How far this machine's clock is ahead of another, in milliseconds: at least `from` and at most `to`, negative if behind. */
export type ClockDifference = { readonly from: number; readonly to: number };

export type IssuerCheck = {
  /** Where the keys are; or why that is not known. */
  readonly address: Result<KeyAddress, Cause>;
  /** The algorithm of each key that can sign ID tokens, at least one; or why none can be used. */
  readonly keys: Result<readonly Algorithm[], Cause>;
  /** What the issuer publishes about itself (OpenID Connect Discovery); or why that is not known, such as `HTTP 404`. */
  readonly published: Result<IssuerConfiguration, Cause>;
  /** How this machine's clock differs from the issuer's; null if no response gave the time. */
  readonly clock: ClockDifference | null;
};

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
 * Asks an issuer for what `idTokenAuthorizer` needs from it, and for what it says about itself. Takes at most 6 seconds.
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
  jwksUri,
}: {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
}): Promise<IssuerCheck> => {
  const configuration = await timed(configurationUri(issuer));
  const published = configuration.document.andThen(parseConfiguration);
  const address: IssuerCheck["address"] =
    jwksUri === undefined ? addressIn(issuer, published) : ok({ uri: jwksUri, from: "setting" });
  const keys = address.isOk()
    ? await timed(address.value.uri)
    : { document: err(address.error), clock: null };
  return {
    address,
    keys: keys.document
      .andThen(parseJwks)
      .andThen((jwks) =>
        jwks.size === 0 ? err(NO_KEY) : ok(Array.from(jwks.values(), ({ algorithm }) => algorithm)),
      ),
    published,
    clock: configuration.clock ?? keys.clock,
  };
};
