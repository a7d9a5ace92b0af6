import { type Cause, err, ok, type Result } from "@postern/core";
import * as z from "zod";
import { isSecureUrl } from "../syntax/secure-url.ts";
import { because, fetchJson } from "./fetch-json.ts";

/** How long an address that the issuer has published stays in use while it publishes none. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** Where the keys of an issuer are, and who says so: the operator, the issuer, or nobody, so that it is the usual place. */
export type KeyAddress = { readonly uri: string; readonly from: "setting" | "issuer" | "default" };

/** The issuer without a trailing slash (OpenID Connect Discovery 1.0, section 4). */
const baseOf = (issuer: string): string => issuer.replace(/\/$/, "");

/** Where an issuer publishes its configuration. */
export const configurationUri = (issuer: string): string =>
  `${baseOf(issuer)}/.well-known/openid-configuration`;

/** https, or http on loopback, without credentials or fragment. May have a query: Azure AD B2C names a policy in it. */
export const isJwksUri = (uri: string): boolean => isSecureUrl(uri.replace(/\?[^#]*$/, ""));

/**
 * An attacker who can replace a key in transit can sign tokens.
 *
 * @throws TypeError unless the keys are fetched over https or from this machine
 */
export const checkJwksUri = (uri: string): void => {
  if (typeof uri === "string" && isJwksUri(uri)) return;
  throw new TypeError(
    "jwksUri must be where the issuer publishes its keys: an https URL (http on loopback only) without credentials or " +
      "fragment, such as https://id.example.com/keys.json. If it is left out, the issuer's openid-configuration names it",
  );
};

const Configuration = z
  .object({ issuer: z.string(), jwks_uri: z.string() })
  .transform(({ issuer, jwks_uri: jwksUri }) => ({ issuer, jwksUri }));

/** What an issuer publishes about itself (OpenID Connect Discovery 1.0, section 3), as far as it is needed here. */
export type IssuerConfiguration = z.output<typeof Configuration>;

export const parseConfiguration = (document: unknown): Result<IssuerConfiguration, Cause> => {
  const parsed = Configuration.safeParse(document);
  return parsed.success ? ok(parsed.data) : err(because("not a configuration of OpenID Connect"));
};

const unusable = (reason: string) => err(because(`openid-configuration: ${reason}`));

/**
 * Where the keys are according to the issuer's configuration. It must name the issuer to the letter (OpenID Connect Discovery 1.0,
 * section 4.3); the keys of an issuer on https must be on https. An issuer that has no configuration (404) has its keys at its
 * `/.well-known/jwks.json`.
 */
export const addressIn = (
  issuer: string,
  configuration: Result<IssuerConfiguration, Cause>,
): Result<KeyAddress, Cause> => {
  if (configuration.isErr()) {
    const { reason } = configuration.error;
    return reason === "HTTP 404"
      ? ok({ uri: `${baseOf(issuer)}/.well-known/jwks.json`, from: "default" })
      : unusable(reason);
  }
  const { issuer: named, jwksUri: uri } = configuration.value;
  if (named !== issuer) return unusable("that of another issuer");
  if (!isJwksUri(uri)) return unusable("its jwks_uri is neither an https URL nor on this machine");
  if (issuer.startsWith("https:") && !uri.startsWith("https:"))
    return unusable("its jwks_uri is not an https URL");
  return ok({ uri, from: "issuer" });
};

/** Where to fetch keys from; `failure` is set if that is only what the issuer has published earlier. */
export type FoundAddress = { readonly uri: string; readonly failure: Cause | null };

/** Finds out where an issuer publishes its keys, by asking it each time. While it does not say, its last answer counts, for a day. */
export const publishedAddress = (issuer: string): (() => Promise<Result<FoundAddress, Cause>>) => {
  let last: { readonly uri: string; readonly at: number } | null = null;
  return async () => {
    const fetched = await fetchJson(configurationUri(issuer));
    const found = addressIn(
      issuer,
      fetched.andThen(({ document }) => parseConfiguration(document)),
    );
    const at = performance.now();
    if (found.isOk() && found.value.from === "issuer") last = { uri: found.value.uri, at };
    else if (last !== null && at - last.at < MAX_AGE_MS) {
      const failure = found.isErr() ? found.error : because("openid-configuration: HTTP 404");
      return ok({ uri: last.uri, failure });
    }
    return found.map(({ uri }) => ({ uri, failure: null }));
  };
};
