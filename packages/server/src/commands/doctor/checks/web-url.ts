import { isDeepStrictEqual } from "node:util";
import { isLoopback } from "@postern/adapter-http/settings";
import * as z from "zod";
import { ENV } from "../../../configuration/names.ts";
import { type WebApp, WebVariables, webAppOf } from "../../../configuration/web-app.ts";
import { type Check, checkOf, type Found, fine, skippedAfter, together, warning, wrong } from "../check.ts";
import { type Answer, ask, saidIn, settingsIn } from "./ask.ts";

/** Whether the app is there, and was told to use this API, this issuer and this client. */
const settings = ({ origin, settings: expected }: WebApp, answer: Answer): Found => {
  const place = `${origin}/settings.json`;
  const said = settingsIn(answer);
  if (said === null) {
    return wrong(
      `${place} responds with ${answer.status}, but not with the settings of the browser app`,
      `Correct ${ENV.webUrl}, or what serves the app there; see web-port in this report`,
    );
  }
  const others = (["api", "issuer", "client", "sign_in"] as const).filter(
    (name) => !isDeepStrictEqual(said[name], expected[name]),
  );
  return others.length === 0
    ? fine("its settings.json names this API and its issuer")
    : wrong(
        `${place} says something else than the variables about: ${others.join(", ")}`,
        `Restart the server, if it serves the app; otherwise make that file ${JSON.stringify(expected)}`,
      );
};

/** What a page may connect to, according to its headers. */
const connectable = ({ headers }: Answer): readonly string[] =>
  /(?:^|;)\s*connect-src\s+([^;]*)/i
    .exec(headers.get("content-security-policy") ?? "")?.[1]
    ?.trim()
    .split(/\s+/) ?? [];

/** Whether browsers let the app call the API and the provider. */
const policy = ({ origin, calls }: WebApp, page: Answer): Found => {
  const missing = calls.filter((called) => called !== origin && !connectable(page).includes(called));
  return missing.length === 0
    ? fine("its Content-Security-Policy allows the API and the provider")
    : wrong(
        `the Content-Security-Policy of ${origin} does not allow ${missing.join(" and ")} in its connect-src`,
        "Restart the server, if it serves the app; otherwise correct that header, as in nginx/postern-web-files.conf",
      );
};

const Discovery = z.object({
  token_endpoint: z.url(),
  /** Many providers leave it out. */
  code_challenge_methods_supported: z.array(z.string()).optional(),
});

/** Whether the provider lets the app sign people in at its page: with PKCE, from a page of another origin. */
const provider = async ({ origin, calls, settings: { issuer, sign_in } }: WebApp): Promise<Found> => {
  if (!sign_in.includes("oidc")) return fine("it signs in with passwords");
  const answer = await ask(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, { origin });
  if (answer.isErr()) {
    return warning(
      `whether people can sign in at the provider's page is not known (${answer.error})`,
      "See issuer in this report",
    );
  }
  const discovery = Discovery.safeParse(saidIn(answer.value)).data;
  if (answer.value.status !== 200 || discovery === undefined) {
    return wrong(
      `nobody can sign in at the provider's page: its openid-configuration (${answer.value.status}) names no token endpoint`,
      `Correct ${ENV.issuer}, or remove oidc from ${ENV.webSignIn}`,
    );
  }
  const { token_endpoint, code_challenge_methods_supported: methods = ["S256"] } = discovery;
  const tokens = new URL(token_endpoint).origin;
  const readable = answer.value.headers.get("access-control-allow-origin") ?? "";
  return together(
    calls.includes(tokens)
      ? fine("the provider's token endpoint can be called")
      : wrong(
          `the provider's token endpoint is at ${tokens}, which the browser app may not call`,
          `Set ${ENV.webTokenOrigin}=${tokens}`,
        ),
    methods.includes("S256")
      ? fine("it supports PKCE")
      : wrong(
          "the provider does not support PKCE with S256, without which the browser app does not sign anybody in",
          "Switch it on at the provider, or use another one",
        ),
    ["*", origin].includes(readable)
      ? fine("it lets the app read its openid-configuration")
      : wrong(
          `the provider does not let pages of ${origin} read its openid-configuration (CORS)`,
          `Allow that origin at the provider, for the client that ${ENV.webClient} names`,
        ),
  );
};

/** Everything fits. */
const found = (origin: string): Found =>
  isLoopback(new URL(origin).hostname)
    ? warning(
        `the browser app is at ${origin}, but only for browsers on this machine`,
        `Set ${ENV.webUrl} to the https origin that people open`,
      )
    : fine(`the browser app is at ${origin}`);

const check = async (app: WebApp): Promise<Found> => {
  const [said, page, signIn] = await Promise.all([
    ask(`${app.origin}/settings.json`),
    ask(`${app.origin}/`),
    provider(app),
  ]);
  if (said.isErr() || page.isErr()) {
    const reason = said.isErr() ? said.error : page.isErr() ? page.error : "";
    return together(
      warning(
        `${app.origin} cannot be reached from this machine (${reason})`,
        "If it cannot be reached from elsewhere either, check its DNS, its certificate, the proxy, and that the server runs",
      ),
      signIn,
    );
  }
  const told = settings(app, said.value);
  // What else is served there says nothing about the app.
  if (settingsIn(said.value) === null) return together(told, signIn);
  const all = together(told, policy(app, page.value), signIn);
  return all.status === "ok" ? found(app.origin) : all;
};

const ofUsed = checkOf({
  names: ["web-url"],
  variables: WebVariables,
  run: async (values) => {
    const app = webAppOf(values);
    return { "web-url": app === undefined ? skippedAfter("configuration") : await check(app) };
  },
});

const UNUSED = fine(`not used: neither ${ENV.webPort} nor ${ENV.webUrl} is set`);

/** Whether the browser app is where people open it, and fits this API and the identity provider. */
export const webUrl: Check = {
  names: ofUsed.names,
  run: async (environment) =>
    [ENV.webPort, ENV.webUrl].some((name) => (environment[name] ?? "") !== "")
      ? ofUsed.run(environment)
      : [{ check: "web-url", ...UNUSED }],
};
