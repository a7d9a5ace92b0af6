import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { launchChromium } from "../../server/test/support/chromium.ts";
import { startIdentityProvider } from "../../trial/src/identity-provider/identity-provider.ts";
import { PEOPLE } from "../../trial/src/identity-provider/registered.ts";
import { startHttpServer } from "./support/http-server.ts";

test("in a browser, a page of another origin signs in by SRP, renews and revokes", async () => {
  const app = await startHttpServer();
  app.serve((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html>"));
  const provider = await startIdentityProvider({ origins: [app.url] });
  onTestFinished(() => provider.stop());
  const bundle = await rolldown({ input: join(import.meta.dirname, "../src/index.ts"), platform: "browser" });
  const { output } = await bundle.generate({ format: "iife", name: "signIn", minify: true });
  const browser = await launchChromium();
  onTestFinished(() => browser.close());

  const page = await browser.newPage();
  await page.goto(app.url);
  await page.addScriptTag({ content: output[0].code });
  const client = { issuer: provider.issuer, clientId: provider.clients.browser.id };
  const { email: username, password } = PEOPLE.ready;
  const outcome = await page.evaluate(`(async () => {
    const client = ${JSON.stringify(client)};
    const refused = await signIn.signInWithPassword(client, ${JSON.stringify({ username, password: "another" })});
    const signedIn = await signIn.signInWithPassword(client, ${JSON.stringify({ username, password })});
    const renewed = await signIn.refresh(client, signedIn.tokens);
    const revoked = await signIn.revoke(client, renewed.tokens);
    const ended = await signIn.refresh(client, renewed.tokens);
    return [refused.code, signedIn.type, renewed.type, revoked.type, ended.type];
  })()`);
  expect(outcome).toEqual(["wrong_credentials", "signedIn", "signedIn", "revoked", "refused"]);
});
