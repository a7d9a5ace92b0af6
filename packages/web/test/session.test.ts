import { expect, test } from "vitest";
import { closeBrowserAtEnd, enter, expectAccessible, openApp, signIn } from "./support/browser.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

const HOUR = 3_600_000;

test("overnight, the session is renewed; if it cannot be, what was typed waits for the same person", async () => {
  const person = await world.newPerson();
  const page = await openApp(world, "/", { bypassCSP: true });
  await page.clock.install();
  await page.reload();
  await signIn(page, person);
  await page.clock.fastForward(2 * HOUR);
  await page.getByLabel("Search").fill("first");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();

  // Somebody has revoked it: an administrator, or another program with the same tokens.
  const token = await page.evaluate(() => JSON.parse(sessionStorage.getItem("session") ?? "{}").refreshToken);
  await fetch(world.provider.url, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AWSCognitoIdentityProviderService.RevokeToken",
    },
    body: JSON.stringify({ Token: token, ClientId: world.provider.clients.browser.id }),
  });
  await page.clock.fastForward(2 * HOUR);
  await page.getByLabel("Search").fill("second");
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await enter(page, person);
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(await page.getByLabel("Search").inputValue()).toBe("second");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
});

test("somebody else who signs in after a session has ended sees nothing of it", async () => {
  const [first, second] = [await world.newPerson(), await world.newPerson()];
  const { alias_email } = await first.newAlias();
  const page = await openApp(world);
  await signIn(page, first);
  await page.getByRole("link", { name: alias_email }).waitFor();
  await page.route("**/v1/**", (route) =>
    route.fulfill({ status: 401, headers: { "access-control-allow-origin": world.app } }),
  );
  await page.getByLabel("Search").fill("anything");
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await page.unrouteAll();
  await enter(page, second);
  await page.getByRole("heading", { name: "First, say where your mail is to go" }).waitFor();
  expect(await page.getByRole("link", { name: alias_email }).count()).toBe(0);
});

test("offline, the app says so, and goes on when the connection is back", async () => {
  const person = await world.newPerson();
  const page = await openApp(world);
  await signIn(page, person);
  await page.context().setOffline(true);
  await page.getByText("You are offline").waitFor();
  await page.getByLabel("Search").fill("shop");
  await page.getByRole("alert").getByText("There is no connection to the service").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  expect(await page.getByText("You are offline").count()).toBe(0);
});

test.each([
  ["is missing", { status: 404, body: "" }, "settings.json cannot be loaded: status 404."],
  ["is no JSON", { status: 200, body: "<!doctype html>" }, "settings.json is not JSON."],
  [
    "is empty",
    { status: 200, body: "{}" },
    '"api" in settings.json must be the https:// address of the API.',
  ],
])("if settings.json %s, one sentence tells the operator", async (_, answer, sentence) => {
  const page = await openApp(world, "/", { bypassCSP: true });
  await page.route("**/settings.json", (route) => route.fulfill(answer));
  await page.reload();
  await page.getByText(sentence).waitFor();
  await expectAccessible(page);
});

test("an address that leads nowhere says so, and a view is read in the browser's language", async () => {
  const person = await world.newPerson();
  const page = await openApp(world, "/nothing/here", { locale: "de-AT" });
  await enter(page, person);
  await page.getByRole("heading", { name: "Diese Seite gibt es nicht" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("de");
  await page.getByRole("link", { name: "Deine Aliase" }).click();
  await page.getByRole("heading", { name: "Aliase", level: 1 }).waitFor();
});
