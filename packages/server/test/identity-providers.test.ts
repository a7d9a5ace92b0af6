import { execFileSync } from "node:child_process";
import { ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, onTestFinished, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { startServer } from "../src/serve/start-server.ts";
import type { SignedIn } from "./support/authorization-code.ts";
import { startBetterAuth } from "./support/better-auth.ts";
import { configurationWith } from "./support/configuration.ts";
import { startGlewlwydProvider } from "./support/glewlwyd.ts";
import { startOidcProvider } from "./support/oidc-provider.ts";

/* Real identity providers, in which a script signs in. docs/identity.md says what else was tried. */

type Provider = { readonly issuer: string; readonly client: string };

/** A server for the tokens of this provider. Returns the status of a request with a token and, if it succeeds, the recipients. */
const serverFor = async ({ issuer, client }: Provider) => {
  const configuration = configurationWith({
    POSTERN_ISSUER: issuer,
    POSTERN_AUDIENCE: client,
    POSTERN_REQUIRED_CLAIM: "groups=mail",
    POSTERN_LOG_LEVEL: "silent",
  });
  const verificationMail = { send: async () => ok() };
  const server = valueOf(await startServer(configuration, { verificationMail }));
  onTestFinished(() => server.stop());
  return async (token: string, body?: object) => {
    const response = await fetch(`${server.url}/recipients`, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
};

type Started = Provider & { readonly signIn: (name: string) => Promise<SignedIn> };

const PROVIDERS: readonly (readonly [string, () => Promise<Started>])[] = [
  ["oidc-provider, RS256", () => startOidcProvider("RS256")],
  ["oidc-provider, ES256", () => startOidcProvider("ES256")],
  ["oidc-provider, EdDSA", () => startOidcProvider("EdDSA")],
  ["better-auth, EdDSA", startBetterAuth],
  ...(runsWhole(import.meta.url) ? [["Glewlwyd, ES256", startGlewlwydProvider] as const] : []),
];

test.each(PROVIDERS)(
  "%s: an ID token is accepted, also after signing in again, and an access token is not",
  async (_, start) => {
    const provider = await start();
    const call = await serverFor(provider);
    const ada = await provider.signIn("ada");
    const address = { recipient_email: "ada@home.example" };
    expect(await call(ada.idToken, address)).toMatchObject({ status: 201 });
    // Both are JWTs.
    expect(ada.accessToken.split(".")).toHaveLength(3);
    expect(await call(ada.accessToken)).toMatchObject({ status: 401 });

    const again = await provider.signIn("ada");
    expect(again.idToken).not.toBe(ada.idToken);
    expect(await call(again.idToken)).toMatchObject({ status: 200, body: { recipients: [address] } });

    const bob = await provider.signIn("bob");
    expect(await call(bob.idToken)).toMatchObject({ status: 403, body: { code: "account_not_allowed" } });
  },
);

test("the document shows how to see what a token contains", async () => {
  const { signIn } = await startOidcProvider("ES256");
  const { idToken } = await signIn("ada");
  const script = block("docs/identity.md", "Who may have an account");
  const printed = execFileSync("sh", ["-c", script], { env: { ...process.env, TOKEN: idToken } });
  expect(JSON.parse(printed.toString())).toMatchObject({ sub: "ada", groups: ["family", "mail"] });
});

test("better-auth's token of a session, signed by the same key, is not accepted", async () => {
  const provider = await startBetterAuth();
  const call = await serverFor(provider);
  expect(await call(await provider.sessionToken("ada"))).toMatchObject({ status: 401 });
});
