import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ok } from "@postern/core";
import { newDirectory } from "@postern/test-support/new-directory";
import Provider from "oidc-provider";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "../../server/src/serve/start-server.ts";
import { newBrowser } from "../../server/test/support/authorization-code.ts";
import { configurationWith } from "../../server/test/support/configuration.ts";
import { startHttpServer } from "../../server/test/support/http-server.ts";
import { begin, run } from "./support/program.ts";

/* A server whose issuer is not Cognito, but npm's oidc-provider. It replaces refresh tokens, and ends the session if one is used twice. */

const CLIENT = "command-line";

let settings: readonly string[] = [];
const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

beforeAll(async () => {
  const { url, serve } = await startHttpServer();
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", kid: "key-1" }] },
    cookies: { keys: ["not secret"] },
    clients: [
      {
        client_id: CLIENT,
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: [8976, 8977, 8978].map((port) => `http://localhost:${port}/callback`),
        token_endpoint_auth_method: "none",
        id_token_signed_response_alg: "ES256",
      },
    ],
    // In seconds. The defaults are printed.
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, RefreshToken: 600, Session: 600 },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
  });
  serve(provider.callback());

  const configuration = configurationWith({
    POSTERN_ISSUER: url,
    POSTERN_AUDIENCE: CLIENT,
    POSTERN_LOG_LEVEL: "silent",
  });
  const server = await startServer(configuration, { verificationMail: { send: async () => ok() } });
  if (server.isErr()) throw new Error("The server did not start", { cause: server.error });
  stops.push(() => server.value.stop());
  settings = ["--url", server.value.url, "--issuer", url, "--client-id", CLIENT];
});

/** Follows the provider's pages until the program has got its answer, and answers their forms: who it is, and that the client may know. */
const signInOnPages = async (name: string, start: string): Promise<string> => {
  const visit = newBrowser();
  let form: Record<string, string> | undefined;
  for (let at = start; ; ) {
    const response = await visit(at, form);
    const page = await response.text();
    const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
    if (response.status === 200 && action === "") return page;
    const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    form = response.status === 200 ? { prompt, login: name, password: "any" } : undefined;
    at = new URL(response.headers.get("location") ?? action, at).href;
  }
};

test("any issuer: signing in on its page, renewing at once with refresh tokens that work once, and signing out", async () => {
  const home = { XDG_STATE_HOME: newDirectory() };
  const program = begin(home, ["login", ...settings]);
  await expect.poll(program.stderr).toMatch(/\n {2}http\S+\n/);
  const [, url = ""] = /\n {2}(http\S+)\n/.exec(program.stderr()) ?? [];
  expect(new URL(url).searchParams.get("scope")).toBe("openid offline_access");
  expect(await signInOnPages("ada", url)).toMatch(/^You are signed in\./);
  expect(await program.ended()).toBe(0);
  expect(program.stderr()).toMatch(/ as ada\.\n$/);

  const file = join(home.XDG_STATE_HOME, "postern/session.json");
  const stored = () => JSON.parse(readFileSync(file, "utf8"));
  for (let round = 0; round < 2; round += 1) {
    const session = stored();
    writeFileSync(file, JSON.stringify({ ...session, tokens: { ...session.tokens, expiresAt: 0 } }));
    const ended = await Promise.all([0, 1, 2].map(() => run(home, ["whoami", "--quiet"])));
    expect(ended).toEqual(Array(3).fill({ code: 0, stdout: "ada\n", stderr: "" }));
    expect(stored().tokens.refreshToken).not.toBe(session.tokens.refreshToken);
  }

  const session = stored();
  expect(await run(home, ["logout"])).toEqual({ code: 0, stdout: "", stderr: "You are signed out.\n" });
  writeFileSync(file, JSON.stringify({ ...session, tokens: { ...session.tokens, expiresAt: 0 } }));
  expect(await run(home, ["whoami"])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^signed_out: /),
  });
});
