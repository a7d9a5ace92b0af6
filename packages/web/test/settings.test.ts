/// <reference lib="dom" />
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  announced,
  closeBrowserAtEnd,
  expectAccessible,
  expectFits,
  openApp,
  signIn,
} from "./support/browser.ts";
import { problemResponse } from "./support/failures.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld({ POSTERN_MAX_RECIPIENTS: "200" });

test("the theme is kept, and the view says who is signed in and what there is", async () => {
  const person = await world.newPerson();
  await person.newRecipient("home@settings.example");
  await person.api.addRecipient("unconfirmed@settings.example");
  await person.api.blockSender("spam.example");
  const page = await openApp(world, "/settings", {
    bypassCSP: true,
    viewport: { width: 320, height: 740 },
    screen: { width: 320, height: 740 },
  });
  await signIn(page, person);
  await page.getByText(person.email).waitFor();
  const amount = (name: string) =>
    page
      .locator("dl > div")
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator("dd");
  await expect.poll(() => amount("Recipients").textContent()).toBe("2 of 200");
  expect(await amount("Recipients that are not confirmed").textContent()).toBe("1, without a limit");
  expect(await amount("Blocked senders").textContent()).toBe("1, without a limit");
  expect(await amount("Keys").textContent()).toBe("0 of 20");
  expect(await amount("Requests to the service a minute").textContent()).toBe("no limit");
  await page.getByRole("button", { name: "Count" }).click();
  await expect.poll(() => amount("Aliases, deleted ones included").textContent()).toBe("0, without a limit");
  await expectAccessible(page);
  await expectFits(page);

  await page.getByLabel("Dark").check();
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
  await page.reload();
  expect(await page.getByLabel("Dark").isChecked()).toBe(true);
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
  await page.getByLabel("As on this device").check();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test("somebody gets a file with everything that they have, although the service makes it wait", async () => {
  const person = await world.newPerson();
  const shop = await person.newAlias("Shop");
  await person.api.updateAliasRules(shop.alias_id, { accept_from: "listed", senders: ["shop.example"] });
  await person.api.updateAliasWebsite(shop.alias_id, "shop.example");
  await person.api.createContact(shop.alias_id, "help@shop.example");
  const gone = await person.newAlias("Gone");
  await person.api.deleteAlias(gone.alias_id);
  const removed = await person.newAlias("Removed for good meanwhile");
  const recipient = await person.newRecipient("all@settings.example");
  for (let n = 0; n < 100; n += 1) await person.api.createAlias({ recipient_ids: [recipient] });
  await person.api.blockSender("spam.example");

  const page = await openApp(world, "/settings");
  await signIn(page, person);
  const said = new Set<string>();
  await page.route("**/rules", (route) => {
    const { pathname } = new URL(route.request().url());
    const isFirst = !said.has(pathname) && pathname.includes(shop.alias_id);
    said.add(pathname);
    const refusal = pathname.includes(removed.alias_id)
      ? { status: 404, code: "alias_not_found" }
      : isFirst
        ? { status: 429, code: "rate_limited" }
        : null;
    return refusal === null
      ? route.continue()
      : route.fulfill(problemResponse(world, refusal, { "retry-after": "1" }));
  });
  await page.getByRole("button", { name: "Make the file" }).click();
  // It goes on in other views.
  await page.getByRole("link", { name: "Aliases" }).click();
  await expect.poll(() => announced(page)).toBe("The file is ready, with 102 aliases.");
  await page.getByRole("link", { name: "Settings" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save the file" }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toMatch(/^postern-\d{4}-\d\d-\d\d\.json$/);
  const data = JSON.parse(await readFile(await download.path(), "utf8"));
  expect(Object.keys(data)).toEqual([
    "exported",
    "recipients",
    "blocked_senders",
    "webhooks",
    "keys",
    "aliases",
  ]);
  expect(data.aliases).toHaveLength(102);
  expect(data.blocked_senders).toMatchObject([{ sender: "spam.example" }]);
  expect(data.recipients).toHaveLength(4);
  const of = (id: string) => data.aliases.find((each: { alias_id: string }) => each.alias_id === id);
  expect(of(shop.alias_id)).toMatchObject({
    description: "Shop",
    website: "shop.example",
    rules: { accept_from: "listed", senders: ["shop.example"] },
    contacts: [{ email: "help@shop.example" }],
    destination_emails: shop.destination_emails,
  });
  expect(of(gone.alias_id).datetime_deleted).toEqual(expect.any(Number));
});

test("the file can be cancelled, says why it failed, and goes with the session", async () => {
  const person = await world.newPerson();
  await person.newAlias("Only");
  const page = await openApp(world, "/settings", { bypassCSP: true });
  await signIn(page, person);
  let held: (() => void) | null = null;
  await page.route("**/website", async (route) => {
    await new Promise<void>((resolve) => {
      held = resolve;
    });
    await route.continue().catch(() => {});
  });
  await page.getByRole("button", { name: "Make the file" }).click();
  await page.getByText("0 of 1 alias").waitFor();
  await expect.poll(() => held).not.toBe(null);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Make the file" }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });

  await page.route("**/website", (route) =>
    route.fulfill(problemResponse(world, { status: 500, code: "internal_error" })),
  );
  await page.getByRole("button", { name: "Make the file" }).click();
  await page.getByRole("alert").getByText("The service has failed.").waitFor();
  await expectAccessible(page);
  await page.unrouteAll();

  await page.getByRole("button", { name: "Make it again" }).click();
  const file = await page.getByRole("link", { name: "Save the file" }).getAttribute("href");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  // The browser has it no more either.
  expect(
    await page.evaluate(
      (url) =>
        fetch(url ?? "").then(
          () => "there",
          () => "gone",
        ),
      file,
    ),
  ).toBe("gone");
  await signIn(page, await world.newPerson());
  await page.goto(`${world.app}/settings`);
  await page.getByRole("button", { name: "Make the file" }).waitFor();
});
