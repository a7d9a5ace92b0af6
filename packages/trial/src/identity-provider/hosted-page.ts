import { createHash } from "node:crypto";
import { htmlEscape } from "escape-goat";
import * as z from "zod";
import type { Member } from "./people.ts";
import { isRefused } from "./refused.ts";
import type { AppClient } from "./registered.ts";
import type { ChallengeName, SignIn } from "./sign-in.ts";
import { type Issued, type OnPage, OWN_SCOPE, type Tokens } from "./tokens.ts";
import { vouchers } from "./vouchers.ts";

/** Seconds for which an authorization code is valid. */
const CODE = 300;

export const SCOPES = ["openid", "email", "profile", OWN_SCOPE];

export type Reply =
  | { readonly redirect: string }
  | { readonly status: number; readonly page: string }
  | { readonly status: number; readonly json: object };

/** The page where people sign in, and OAuth 2.0's authorization code grant with PKCE. */
export type HostedPage = {
  /**
   * @param address the parameters of the page's address
   * @param entered what was entered on the page, if something was
   */
  authorize(address: unknown, entered?: unknown): Reply;
  token(form: unknown): Promise<Reply>;
  revoke(form: unknown): Reply;
  /** @param authorization the header, with an access token */
  userInfo(authorization: string | undefined): Promise<Reply>;
};

const App = z.object({ client_id: z.string(), redirect_uri: z.string(), state: z.string().optional() });

// Cognito would do without PKCE, but no public app should.
const Requested = z.object({
  response_type: z.literal("code"),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal("S256"),
  scope: z.string().default(SCOPES.join(" ")),
  nonce: z.string().optional(),
});

const Entered = z.union([
  z.object({
    challenge: z.enum(["NEW_PASSWORD_REQUIRED", "SOFTWARE_TOKEN_MFA"]),
    session: z.string(),
    username: z.string(),
    answer: z.string(),
  }),
  z.object({ username: z.string(), password: z.string() }),
]);

const ForClient = z.object({ client_id: z.string() });

const Grant = z.discriminatedUnion("grant_type", [
  z.object({
    grant_type: z.literal("authorization_code"),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string(),
  }),
  z.object({ grant_type: z.literal("refresh_token"), refresh_token: z.string() }),
]);

const Revocation = z.object({ token: z.string() });

const failed = (error: string, status = 400): Reply => ({ status, json: { error } });

const page = (content: string, status = 200): Reply => ({
  status,
  page: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Postern trial: sign in</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui; max-width: 20rem; margin: 3rem auto; padding: 0 1rem }
input, button { box-sizing: border-box; font: inherit; width: 100%; padding: 0.5rem }
</style>
<h1>Sign in</h1>
${content}
`,
});

const PASSWORD_FIELDS = `<p><label>Email <input name="username" autocomplete="username" required autofocus></label>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label>`;

const ANSWER_FIELDS: Readonly<Record<ChallengeName, string>> = {
  NEW_PASSWORD_REQUIRED: `<p><label>Choose a password
<input name="answer" type="password" autocomplete="new-password" required autofocus></label>`,
  SOFTWARE_TOKEN_MFA: `<p><label>Code of your authenticator app
<input name="answer" inputmode="numeric" autocomplete="one-time-code" required autofocus></label>`,
};

/** A form that is sent to the address at which it is. */
const form = (problem: string, fields: string, hidden: Readonly<Record<string, string>> = {}): Reply => {
  const inputs = Object.entries(hidden).map(
    ([name, value]) => htmlEscape`<input type="hidden" name="${name}" value="${value}">`,
  );
  const alert = problem === "" ? "" : htmlEscape`<p role="alert">${problem}`;
  return page(`${alert}
<form method="post">
${inputs.join("\n")}
${fields}
<p><button>Sign in</button>
</form>`);
};

const back = (uri: string, parameters: Readonly<Record<string, string | undefined>>): Reply => {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { redirect: url.href };
};

const tokenResponse = ({ idToken, accessToken, refreshToken, expiresIn }: Issued): Reply => ({
  status: 200,
  json: {
    id_token: idToken,
    access_token: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    expires_in: expiresIn,
    token_type: "Bearer",
  },
});

export const hostedPageOf = ({
  clients,
  signIn,
  tokens,
  now,
}: {
  readonly clients: readonly AppClient[];
  readonly signIn: SignIn;
  readonly tokens: Tokens;
  readonly now: () => number;
}): HostedPage => {
  const codes = vouchers<{
    readonly client: string;
    readonly member: Member;
    readonly callback: string;
    readonly challenge: string;
    readonly on: OnPage;
  }>(CODE, now);

  const clientOf = (id: string | undefined) => clients.find((client) => client.id === id);

  return {
    authorize: (address, entered) => {
      const app = App.safeParse(address).data;
      const client = clientOf(app?.client_id);
      // Nobody is sent to an address that is not registered.
      if (app === undefined || client?.callbacks.includes(app.redirect_uri) !== true) {
        return page("<p>redirect_mismatch: this app has not registered this redirect_uri.", 400);
      }
      const { redirect_uri: callback, state } = app;
      const requested = Requested.safeParse(address).data;
      if (requested === undefined) return back(callback, { error: "invalid_request", state });
      const { scope, nonce, code_challenge: challenge } = requested;
      const scopes = scope.split(" ");
      if (!scopes.includes("openid") || !scopes.every((each) => SCOPES.includes(each))) {
        return back(callback, { error: "invalid_scope", state });
      }

      const given = Entered.safeParse(entered).data;
      if (given === undefined) return form("", PASSWORD_FIELDS);
      const { username } = given;
      const outcome =
        "challenge" in given
          ? signIn.answer(client, given.challenge, given.session, username, given.answer)
          : signIn.withPassword(client, username, given.password);
      if (isRefused(outcome)) {
        // A code or password that was not accepted can be entered again.
        return "challenge" in given && outcome.refused !== "NotAuthorizedException"
          ? form(outcome.message, ANSWER_FIELDS[given.challenge], {
              challenge: given.challenge,
              session: given.session,
              username,
            })
          : form(outcome.message, PASSWORD_FIELDS);
      }
      if (outcome.challenge !== "none") {
        const { challenge: asked, session } = outcome;
        return form("", ANSWER_FIELDS[asked], { challenge: asked, session, username });
      }
      const { member } = outcome;
      const code = codes.issue({ client: client.id, member, callback, challenge, on: { scope, nonce } });
      return back(callback, { code, state });
    },

    token: async (body) => {
      const client = clientOf(ForClient.safeParse(body).data?.client_id);
      if (client === undefined) return failed("invalid_client");
      const grant = Grant.safeParse(body).data;
      if (grant === undefined) return failed("invalid_request");
      if (grant.grant_type === "refresh_token") {
        const renewed = await tokens.renew(client, grant.refresh_token);
        return isRefused(renewed) ? failed("invalid_grant") : tokenResponse(renewed);
      }
      const found = codes.read(grant.code);
      codes.take(grant.code);
      const challenge = createHash("sha256").update(grant.code_verifier).digest("base64url");
      return found?.client === client.id &&
        found.callback === grant.redirect_uri &&
        found.challenge === challenge
        ? tokenResponse(await tokens.issue(client, found.member, found.on))
        : failed("invalid_grant");
    },

    revoke: (body) => {
      const client = clientOf(ForClient.safeParse(body).data?.client_id);
      if (client === undefined) return failed("invalid_client");
      const revocation = Revocation.safeParse(body).data;
      if (revocation === undefined) return failed("invalid_request");
      const problem = tokens.revoke(client, revocation.token);
      if (problem === undefined) return { status: 200, json: {} };
      const isOther = problem.refused === "UnsupportedTokenTypeException";
      return failed(isOther ? "unsupported_token_type" : "unauthorized_client");
    },

    userInfo: async (authorization = "") => {
      const owner = await tokens.owner(authorization.replace(/^Bearer /i, ""));
      if (isRefused(owner)) return failed("invalid_token", 401);
      if (!owner.scope.split(" ").includes("openid")) return failed("insufficient_scope", 403);
      const { sub, email } = owner.member;
      return { status: 200, json: { sub, email, email_verified: "true", username: sub } };
    },
  };
};
