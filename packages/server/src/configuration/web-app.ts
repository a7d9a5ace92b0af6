import { isLoopback } from "@postern/adapter-http/settings";
import type * as z from "zod";
import { urlHost } from "../system/url-host.ts";
import { Variables } from "./variables.ts";

/** The variables that determine where the browser app is, and what it has to know. */
export const WebVariables = Variables.pick({
  webPort: true,
  webHost: true,
  webUrl: true,
  webClient: true,
  webSignIn: true,
  webTokenOrigin: true,
  authorizer: true,
  issuer: true,
  audience: true,
  publicUrl: true,
});

type Values = z.output<typeof WebVariables>;

/** What `settings.json` tells the app, which is the same build everywhere. */
export type WebSettings = {
  /** The base address of the API. */
  readonly api: string;
  readonly issuer: string;
  readonly client: string;
  readonly sign_in: readonly ("srp" | "oidc")[];
};

export type WebApp = {
  /** Where people open it. */
  readonly origin: string;
  readonly settings: WebSettings;
  /** Whom it calls: the API and the identity provider. */
  readonly calls: readonly string[];
};

/** Where people open the app; undefined if that is not known. */
export const webUrlOf = ({
  webUrl,
  webHost,
  webPort,
}: Pick<Values, "webUrl" | "webHost" | "webPort">): string | undefined => {
  if (webUrl !== undefined || webPort === undefined || webPort === 0) return webUrl;
  const host = urlHost(webHost);
  return isLoopback(host) ? new URL(`http://${host}:${webPort}`).origin : undefined;
};

/** Issuers are `https://cognito-idp.REGION.amazonaws.com/POOL`. */
const isCognito = (issuer: string): boolean => new URL(issuer).hostname.startsWith("cognito-idp.");

/** The browser app, which this server or something else serves; undefined if there is none. */
export const webAppOf = (values: Values): WebApp | undefined => {
  const { authorizer, issuer, audience, publicUrl, webTokenOrigin } = values;
  const origin = webUrlOf(values);
  const client = values.webClient ?? audience?.[0];
  if (origin === undefined || authorizer === "none" || issuer === undefined || client === undefined)
    return undefined;
  const called = [new URL(publicUrl).origin, new URL(issuer).origin, webTokenOrigin ?? []].flat();
  return {
    origin,
    settings: {
      api: `${publicUrl.replace(/\/$/, "")}/v1`,
      issuer,
      client,
      sign_in: values.webSignIn ?? [isCognito(issuer) ? "srp" : "oidc"],
    },
    calls: [...new Set(called)],
  };
};
