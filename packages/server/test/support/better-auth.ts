import { randomBytes } from "node:crypto";
import { oauthProvider } from "@better-auth/oauth-provider";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { getAuthTables } from "better-auth/db";
import { toNodeHandler } from "better-auth/node";
import { jwt } from "better-auth/plugins";
import * as z from "zod";
import { REDIRECT_URI, signInWithCode } from "./authorization-code.ts";
import { startHttpServer } from "./http-server.ts";

const API = "https://postern.test";

const Redirect = z.object({ url: z.string() });
const SessionToken = z.object({ token: z.string() });

/** better-auth as an OpenID Provider, as its documentation sets it up: EdDSA. Its access tokens for an API are JWTs. */
export const startBetterAuth = async () => {
  const { url, serve } = await startHttpServer();
  const options = {
    baseURL: url,
    secret: randomBytes(32).toString("hex"),
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
    logger: { level: "error" },
    plugins: [
      jwt({ disableSettingJwtHeader: true }),
      oauthProvider({
        loginPage: "/login",
        consentPage: "/consent",
        resources: [API],
        enforcePerClientResources: false,
        customIdTokenClaims: ({ user }) => ({
          groups: user.name === "ada" ? ["family", "mail"] : ["family"],
        }),
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
    ],
  };
  const tables = Object.fromEntries(Object.keys(getAuthTables(options)).map((name) => [name, []]));
  const auth = betterAuth({ ...options, database: memoryAdapter(tables) });
  serve(toNodeHandler(auth));
  const issuer = `${url}/api/auth`;

  /** The cookies of a session. Somebody who has no account yet gets one. */
  const session = async (name: string): Promise<string> => {
    const as = { email: `${name}@postern.test`, password: "correct horse battery" };
    const post = (path: string, body: object) =>
      fetch(`${issuer}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: url },
        body: JSON.stringify(body),
      });
    await post("sign-up/email", { ...as, name });
    const signedIn = await post("sign-in/email", as);
    return signedIn.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
  };

  const { client_id: client } = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie: await session("operator") }),
    body: {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      application_type: "native",
      skip_consent: true,
    },
  });

  const endpoints = { authorization: `${issuer}/oauth2/authorize`, token: `${issuer}/oauth2/token` };
  return {
    issuer,
    client,
    signIn: async (name: string) => {
      const cookie = await session(name);
      const browse = async (start: string) =>
        Redirect.parse(await (await fetch(start, { headers: { cookie } })).json()).url;
      return signInWithCode(endpoints, client, browse, { resource: API });
    },
    /** The JWT that better-auth gives its own pages for a session, signed by the same key. */
    sessionToken: async (name: string): Promise<string> => {
      const response = await fetch(`${issuer}/token`, { headers: { cookie: await session(name) } });
      return SessionToken.parse(await response.json()).token;
    },
  };
};
