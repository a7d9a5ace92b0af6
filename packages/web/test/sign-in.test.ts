import { expect, test } from "vitest";
import { PEOPLE } from "../../trial/src/identity-provider/registered.ts";
import { codeOf, stepAt } from "../../trial/src/identity-provider/totp.ts";
import { closeBrowserAtEnd, enter, expectAccessible, openApp, signIn } from "./support/browser.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();
const atAliases = { name: "Aliases", level: 1 } as const;

test("a wrong password and an unknown name get the same words, and what was typed stays", async () => {
  const person = await world.newPerson();
  const texts: (string | null)[] = [];
  for (const email of [person.email, "nobody@people.example"]) {
    const page = await openApp(world);
    await enter(page, { email, password: "Wrong-password-1" });
    texts.push(await page.getByRole("alert").textContent());
    expect(await page.getByLabel("Email address or user name").inputValue()).toBe(email);
    await signIn(page, person);
    await page.getByRole("heading", atAliases).waitFor();
  }
  expect(texts[0]).toBe(texts[1]);
});

test("somebody with a temporary password chooses one of their own", async () => {
  const page = await openApp(world);
  await enter(page, PEOPLE.newcomer);
  await page.getByLabel("New password").fill("short");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("alert").getByText("This password is not allowed").waitFor();
  await page.getByLabel("New password").fill("Another-password-1");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", atAliases).waitFor();
});

test("somebody with an authenticator app enters its code; after a wrong one, again", async () => {
  const { authenticator } = PEOPLE.careful;
  const page = await openApp(world);
  await enter(page, PEOPLE.careful);
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
  // The app's own form has fields with these names too.
  await page.waitForURL((url) => url.origin === new URL(world.provider.issuer).origin);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
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
  await enter(page, { email: "nobody", password: "nothing" });
  await page.getByRole("alert").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByRole("heading", { name: "Reset your password" }).waitFor();
  await expectAccessible(page);
});
