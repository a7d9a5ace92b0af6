import { expect, test } from "vitest";
import { codeOf, stepAt } from "../../trial/src/identity-provider/totp.ts";
import { PEOPLE } from "../../trial/src/identity-provider/registered.ts";
import { closeBrowserAtEnd, expectAccessible, openApp, signIn } from "./support/browser.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

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
  await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent()).toBe("Aliases");
});
