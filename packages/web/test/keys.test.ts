/// <reference lib="dom" />
import { fileURLToPath } from "node:url";
import { createClient } from "@postern/client";
import { freePort } from "@postern/test-support/free-port";
import { expect, test } from "vitest";
import {
  announced,
  closeBrowserAtEnd,
  expectAccessible,
  expectFits,
  focused,
  openApp,
  signIn,
} from "./support/browser.ts";
import { problemResponse } from "./support/failures.ts";
import { keepPictures } from "./support/pictures.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const keysPort = await freePort();
const KEYS_URL = "https://keys.postern.test";
const world = await startWorld({
  POSTERN_KEYS_PORT: `${keysPort}`,
  POSTERN_KEYS_URL: KEYS_URL,
  POSTERN_ALIAS_DOMAINS: "alias.example.com,other.example.com",
});

/** What a program can do that has a key. */
const program = (key: string) => createClient({ baseUrl: `http://127.0.0.1:${keysPort}/v1`, token: key });

test("somebody makes a key for their password manager, and pastes it", async () => {
  const person = await world.newPerson();
  await person.newRecipient("home@keys.example");
  const page = await openApp(world, "/keys", {
    bypassCSP: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await signIn(page, person);
  await page.getByRole("heading", { name: "You have no key yet" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "New key" }).click();
  const asking = page.getByRole("dialog", { name: "New key" });
  await asking.getByRole("button", { name: "Create the key" }).click();
  await asking.getByRole("alert").getByText("Give the key a name.").waitFor();
  await expectAccessible(page);
  await asking.getByLabel("Name").fill("Bitwarden on my phone");

  // What was typed is there again when the dialog is.
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("New key");
  await page.getByRole("button", { name: "New key" }).click();
  await asking.getByRole("button", { name: "Create the key" }).click();

  const created = page.getByRole("dialog", { name: "Your new key" });
  const secret = (await created.getByText(/^pk_/).textContent()) ?? "";
  await created.getByText(KEYS_URL, { exact: true }).waitFor();
  await expectAccessible(page);
  expect(await created.getByLabel("Which program is it for?").locator("option").allTextContents()).toEqual([
    "Bitwarden",
    "Bitwarden, as Addy.io",
    "Keyguard",
    "Another program",
  ]);
  await created.getByLabel("Which program is it for?").selectOption("Keyguard");
  await created.getByText("alias.example.com", { exact: true }).waitFor();
  await created.getByRole("button", { name: "Copy the key" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  // By mistake.
  await page.keyboard.press("Escape");
  await created.getByText("Does the program have it?").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await created.getByText(secret).waitFor();
  await page.keyboard.press("Escape");
  await created.getByRole("button", { name: "Show it" }).click();
  await created.getByRole("button", { name: "Done, the program has it" }).click();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(await page.content()).not.toContain(secret);
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])),
  ).not.toContain(secret);

  const row = page.getByRole("listitem").filter({ hasText: "Bitwarden on my phone" });
  await row.getByText("Can make aliases").waitFor();
  await row.getByText("Never used").waitFor();
  expect(await program(secret).listAliases()).toMatchObject({ problem: { code: "insufficient_scope" } });
});

test("a key says when and by what it was used last; one that was deleted is refused", async () => {
  const person = await world.newPerson();
  const { name, secret } = (await person.api.createApiKey({ name: "Script", scopes: ["aliases:create"] }))
    .data;
  expect((await program(secret).getService()).ok).toBe(true);
  const keys = async () => (await person.api.listApiKeys()).data.keys;
  await expect.poll(keys).toMatchObject([{ last_used_by: "program" }]);
  const page = await openApp(world, "/keys", { bypassCSP: true });
  await signIn(page, person);
  await page.getByText("Last used: today, by a program").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: `Delete the key ${name}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("within 10 seconds").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "You have no key yet" }).waitFor();
  expect(await announced(page)).toBe(`The key ${name} is deleted`);
  await expect.poll(() => focused(page)).toBe("Keys");
  await expect.poll(async () => (await program(secret).getService()).ok).toBe(false);
});

test("a key for another program does what was chosen, until the chosen day, for the chosen recipients", async () => {
  const person = await world.newPerson();
  await person.newRecipient("first@chosen.example");
  const second = await person.newRecipient("second@chosen.example");
  await person.api.addRecipient("unconfirmed@chosen.example");
  const page = await openApp(world, "/keys");
  await signIn(page, person);
  await page.getByRole("button", { name: "New key" }).click();
  const asking = page.getByRole("dialog", { name: "New key" });
  await asking.getByLabel("Name").fill("My script");
  await asking.getByLabel("Another program").check();
  await asking.getByRole("checkbox", { name: "make aliases" }).uncheck();
  await asking.getByRole("button", { name: "Create the key" }).click();
  await asking.getByRole("alert").getByText("Choose at least one thing").waitFor();
  await asking.getByRole("checkbox", { name: "make aliases" }).check();
  await asking.getByLabel("See what became of your messages").check();
  await asking.getByLabel("Works until").fill("2001-01-01");
  await asking.getByRole("button", { name: "Create the key" }).click();
  await asking.getByRole("alert").getByText("Choose a day that is not over yet.").waitFor();
  await asking.getByLabel("Works until").fill("2199-12-31");
  await asking.getByLabel("Its aliases are at").selectOption("other.example.com");
  await asking.getByText("If you choose none: to first@chosen.example").waitFor();
  expect(await asking.getByLabel("unconfirmed@chosen.example").count()).toBe(0);
  await asking.getByLabel("second@chosen.example").check();
  await asking.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("button", { name: "Done, the program has it" }).click();
  await page.getByText("Can make aliases and see what became of your messages").waitFor();
  await page.getByText("Works until 31 Dec 2199").waitFor();
  await page.getByText("Makes aliases at other.example.com").waitFor();
  await page.getByText("Its aliases forward to second@chosen.example").waitFor();
  const { keys } = (await person.api.listApiKeys()).data;
  expect(keys).toMatchObject([
    {
      scopes: ["aliases:create", "messages:read"],
      alias_domain: "other.example.com",
      recipient_ids: [second],
    },
  ]);
});

test("a double click makes one key, and one whose answer was lost is found and deleted", async () => {
  const person = await world.newPerson();
  const page = await openApp(world, "/keys", { bypassCSP: true });
  await signIn(page, person);
  await page.getByRole("button", { name: "New key" }).click();
  const asking = page.getByRole("dialog", { name: "New key" });
  const create = asking.getByRole("button", { name: "Create the key" });
  await asking.getByText("You have no confirmed recipient yet").waitFor();
  await asking.getByLabel("Name").fill("Lost");

  // The service makes it, but the connection is cut before the answer.
  await page.route("**/v1/keys", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
  });
  await create.dblclick();
  await asking.getByText("The key “Lost” was made, but nobody can know it.").waitFor();
  expect((await person.api.listApiKeys()).data.keys).toHaveLength(1);
  expect(await asking.getByLabel("Name").inputValue()).toBe("Lost");
  await create.click({ force: true });
  await expectAccessible(page);
  await asking.getByRole("button", { name: /^Delete the key that was made on/ }).click();
  await asking.getByText("That key is deleted.").waitFor();
  expect((await person.api.listApiKeys()).data.keys).toEqual([]);

  // Nothing reaches the service, and it cannot be asked what there is: later it can.
  await page.unrouteAll();
  let isCut = false;
  await page.route("**/v1/keys", async (route) => {
    if (route.request().method() === "POST") isCut = true;
    return isCut ? route.abort() : route.continue();
  });
  await create.click();
  await asking.getByText("it is not certain whether the key was made").waitFor();
  await asking.getByText("There is no connection to the service").waitFor();
  await page.unrouteAll();
  await asking.getByRole("button", { name: "Try again" }).click();
  await asking.getByText("the key was not made").waitFor();
  await asking.locator("form").evaluate((form: HTMLFormElement) => {
    form.requestSubmit();
    form.requestSubmit();
  });
  const created = page.getByRole("dialog", { name: "Your new key" });
  await created.waitFor();
  expect((await person.api.listApiKeys()).data.keys).toHaveLength(1);
  // Browsers close a dialog at the second Escape, whatever the page did at the first.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await created.getByText(/^pk_/).or(created.getByText("Does the program have it?")).waitFor();
});

test.each([
  [403, { code: "account_suspended" }, "Your account is suspended"],
  [403, { code: "too_many_api_keys", limit: 20 }, "You have as many keys as you can have: 20."],
  [422, { code: "recipients_ineligible", recipients: [] }, "Not all of these recipients can be chosen"],
  [429, { code: "too_many_creations" }, "Try again in"],
])("a refusal with %i %o says why, and what was typed stays", async (status, problem, text) => {
  const person = await world.newPerson();
  const page = await openApp(world, "/keys");
  await signIn(page, person);
  let requests = 0;
  await page.route("**/v1/keys", (route) => {
    if (route.request().method() !== "POST") return route.continue();
    requests += 1;
    const headers = status === 429 ? { "retry-after": "60" } : {};
    return route.fulfill(problemResponse(world, { status, ...problem }, headers));
  });
  await page.getByRole("button", { name: "New key" }).click();
  const asking = page.getByRole("dialog", { name: "New key" });
  await asking.getByLabel("Name").fill("Refused");
  await asking.getByRole("button", { name: "Create the key" }).click();
  await asking.getByRole("alert").getByText(text).waitFor();
  expect(await asking.getByLabel("Name").inputValue()).toBe("Refused");
  expect(requests).toBe(1);
});

test("a key that cannot be deleted stays, and after one that was deleted the next one has the focus", async () => {
  const person = await world.newPerson();
  for (const name of ["Third", "Second", "First"])
    await person.api.createApiKey({ name, scopes: ["aliases:create"] });
  const page = await openApp(world, "/keys");
  await signIn(page, person);
  const names = () => page.getByRole("listitem").locator("strong").allTextContents();
  await expect.poll(names).toEqual(["First", "Second", "Third"]);
  await page.route("**/v1/keys/*", (route) => route.abort());
  await page.getByRole("button", { name: "Delete the key Second" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByText("There is no connection").waitFor();
  await page.unrouteAll();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect.poll(names).toEqual(["First", "Third"]);
  await expect.poll(() => focused(page)).toMatch(/^Third/);
  await page.getByRole("button", { name: "Delete the key Third" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => focused(page)).toMatch(/^First/);
});

test("expired keys say so, and whatever a newer service or a hostile program has written is shown as text", async () => {
  const person = await world.newPerson();
  const page = await openApp(world, "/keys", {
    bypassCSP: true,
    viewport: { width: 320, height: 740 },
    screen: { width: 320, height: 740 },
  });
  const name = `<img src=x onerror=alert(1)> \u202e${"x".repeat(70)}`;
  await page.route("**/v1/keys", (route) =>
    route.fulfill({
      contentType: "application/json",
      headers: { "access-control-allow-origin": world.app },
      body: JSON.stringify({
        keys: [
          {
            key_id: "k1",
            name,
            scopes: ["aliases:create", "moon:walk"],
            alias_domain: `${"long.".repeat(40)}example`,
            recipient_ids: ["gone"],
            expires: 1_700_000_000_000,
            datetime_created: 1_600_000_000_000,
            datetime_last_used: 1_650_000_000_000,
            last_used_by: "teapot",
          },
        ],
      }),
    }),
  );
  await signIn(page, person);
  await page.getByText("<img src=x onerror=alert(1)>").waitFor();
  await page.getByText("Can make aliases and moon:walk").waitFor();
  await page.getByText("Expired on 14 Nov 2023").waitFor();
  await page.getByText("Last used: 15 Apr 2022, teapot").waitFor();
  await page.getByText("Its aliases forward to a recipient that was deleted").waitFor();
  await expectAccessible(page);
  await expectFits(page);
  await page.getByRole("button", { name: "New key" }).click();
  await expectFits(page);
  await expectAccessible(page);
});

test("if programs cannot use keys, the view says so", async () => {
  const without = await startWorld();
  const person = await without.newPerson();
  const page = await openApp(without, "/keys", { bypassCSP: true });
  await signIn(page, person);
  await page.getByText("On this service, programs cannot use keys.").waitFor();
  expect(await page.getByRole("button", { name: "New key" }).count()).toBe(0);
  await expectAccessible(page);
});

if (process.env["SCREENSHOTS"] === "1") {
  test.each([
    ["light", "en-GB"],
    ["dark", "de-DE"],
  ] as const)("retakes the %s pictures of all views", (colorScheme, locale) =>
    keepPictures(world, colorScheme, locale),
  );

  test.each(["light", "dark"] as const)(
    "retakes the %s picture in docs/password-managers.md",
    async (colorScheme) => {
      const person = await world.newPerson();
      await person.newRecipient(`${colorScheme}@home.example`);
      await person.api.createApiKey({ name: "Bitwarden on my laptop", scopes: ["aliases:create"] });
      const page = await openApp(world, "/keys", { colorScheme, viewport: { width: 960, height: 680 } });
      await signIn(page, person);
      await page.getByRole("button", { name: "New key" }).click();
      await page.getByLabel("Name").fill("Bitwarden on my phone");
      await page.getByRole("button", { name: "Create the key" }).click();
      await page.getByRole("dialog", { name: "Your new key" }).waitFor();
      await page.getByRole("listitem").filter({ hasText: "on my phone" }).waitFor();
      const path = fileURLToPath(new URL(`../../../docs/images/keys-${colorScheme}.png`, import.meta.url));
      await page.screenshot({ path });
    },
  );
}
