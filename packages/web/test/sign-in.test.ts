import { expect, test } from "vitest";
import { PEOPLE } from "../../trial/src/identity-provider/registered.ts";
import { codeOf, stepAt } from "../../trial/src/identity-provider/totp.ts";
import { closeBrowserAtEnd, expectAccessible, openApp, signIn } from "./support/browser.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();
const atAliases = { name: "Aliases", level: 1 } as const;

test("a wrong password and an unknown name get the same words, and what was typed stays", async () => {
  const { email, password } = await world.newPerson();
  const page = await openApp(world);
  const alert = page.getByRole("alert");
  const texts: (string | null)[] = [];
  for (const name of [email, "nobody@people.example"]) {
    await page.getByLabel("Email address or user name").fill(name);
    await page.getByLabel("Password").fill("Wrong-password-1");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await alert.waitFor();
    texts.push(await alert.textContent());
    expect(await page.getByLabel("Email address or user name").inputValue()).toBe(name);
  }
  expect(texts[0]).toBe(texts[1]);
  await signIn(page, { email, password });
  await page.getByRole("heading", atAliases).waitFor();
});

test("somebody with a temporary password chooses one of their own", async () => {
  const { email, password } = PEOPLE.newcomer;
  const page = await openApp(world);
  await page.getByLabel("Email address or user name").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("New password").fill("short");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("alert").getByText("This password is not allowed").waitFor();
  await page.getByLabel("New password").fill("Another-password-1");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", atAliases).waitFor();
});

test("somebody with an authenticator app enters its code; after a wrong one, again", async () => {
  const { email, password, authenticator } = PEOPLE.careful;
  const page = await openApp(world);
  await page.getByLabel("Email address or user name").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Code from your authenticator app").fill("000000");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").getByText("This code is wrong").waitFor();
  await page.getByLabel("Code from your authenticator app").fill(codeOf(authenticator, stepAt(Date.now())));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", atAliases).waitFor();
});

test("somebody who has forgotten their password sets another one with a code", async () => {
  const { email } = await world.newPerson();
  const page = await openApp(world);
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByLabel("Email address or user name").fill(email);
  await page.getByRole("button", { name: "Send the code" }).click();
  await page.getByLabel("The code that you were sent").fill(await world.resetCode(email));
  await page.getByLabel("New password").fill("Another-password-2");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("Your password was changed").waitFor();
  await signIn(page, { email, password: "Another-password-2" });
});

test("at the provider's page, people come back to where they were", async () => {
  const { email, password } = await world.newPerson();
  const page = await openApp(world, "/?q=shop&show=off");
  await page.getByRole("button", { name: "Sign in with your account" }).click();
  await page.locator("input[type=password]").waitFor();
  await page.locator("input:not([type=hidden], [type=password])").first().fill(email);
  await page.locator("input[type=password]").fill(password);
  await page.locator("button").first().click();
  await page.getByRole("heading", atAliases).waitFor();
  expect(page.url()).toBe(`${world.app}/?q=shop&show=off`);
  // The code is nowhere, and going back does not use it once more.
  await page.reload();
  await page.getByRole("heading", atAliases).waitFor();
});

test("the session survives a reload and is in every tab, until one of them signs out", async () => {
  const { email, password } = await world.newPerson();
  const page = await openApp(world);
  await signIn(page, { email, password });
  await page.reload();
  await page.getByRole("heading", atAliases).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${world.app}/recipients`);
  await other.getByRole("heading", { name: "Recipients", level: 1 }).waitFor();
  expect(await other.evaluate(() => JSON.stringify(Object.entries(localStorage)))).toBe("[]");
  // Each tab renews alone: the refresh token is good for one use.
  await Promise.all([page.reload(), other.reload()]);
  await page.getByRole("heading", atAliases).waitFor();
  await other.getByRole("heading", { name: "Recipients", level: 1 }).waitFor();
  await other.goto(`${world.app}/settings`);
  await other.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  await other.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
});

test("every step of signing in is accessible", async () => {
  const page = await openApp(world, "/", { bypassCSP: true });
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Email address or user name").fill("nobody");
  await page.getByLabel("Password").fill("nothing");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByRole("heading", { name: "Reset your password" }).waitFor();
  await expectAccessible(page);
});
