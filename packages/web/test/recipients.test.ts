import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  announced,
  closeBrowserAtEnd,
  expectAccessible,
  expectFits,
  expectFitsEnlarged,
  focused,
  openApp,
  signIn,
} from "./support/browser.ts";
import { FAILURES, failOnce } from "./support/failures.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld({ POSTERN_MAX_UNVERIFIED_RECIPIENTS: "3" });

type Person = Awaited<ReturnType<typeof world.newPerson>>;

/** Somebody who looks at their recipients. */
const atRecipients = async (person: Person, options: Parameters<typeof openApp>[2] = {}) => {
  const page = await openApp(world, "/recipients", options);
  await signIn(page, person);
  await page.getByRole("heading", { name: "Recipients", level: 1 }).waitFor();
  return page;
};

/** Addresses that nobody else has. */
const addressesOf = ({ email }: Person, ...names: string[]) =>
  names.map((name) => `${name}-${email.split("@")[0]}@home.example`) as [string, string, string];

const row = (page: Page, address: string) => page.locator(".rows li").filter({ hasText: address });
const field = (page: Page) => page.getByLabel("Address of a mailbox of yours");
const add = async (page: Page, address: string) => {
  await field(page).fill(address);
  await page.getByRole("button", { name: "Add the recipient" }).click();
};

test("a recipient is added, and whoever waits sees that it was confirmed", async () => {
  const person = await world.newPerson();
  const [home, work] = addressesOf(person, "home", "work");
  const page = await atRecipients(person, { bypassCSP: true });
  const now = Date.now();
  await page.clock.setFixedTime(now);
  await page.getByRole("heading", { name: "You have no recipient yet" }).waitFor();
  await expectAccessible(page);
  await add(page, "nonsense");
  await page.locator(".field").getByText("This is not an email address").waitFor();
  await expectAccessible(page);
  expect(await field(page).inputValue()).toBe("nonsense");
  await add(page, ` ${home} `);
  await row(page, home).getByText("Waiting for confirmation").waitFor();
  expect(await field(page).inputValue()).toBe("");
  await page.locator(".notice.good").getByText("Open it").waitFor();
  await expectAccessible(page);

  // A mailbox gets one message a minute. The API may know of others.
  const again = page.getByRole("button", { name: `Send the link again ${home}` });
  expect(await again.getAttribute("aria-disabled")).toBe("true");
  await row(page, home).getByText("in 60 seconds").waitFor();
  await page.clock.setFixedTime(now + 60_000);
  await expect.poll(() => again.getAttribute("aria-disabled")).toBe("false");
  await failOnce(world, page, "**/verification", "rate_limited");
  await again.click();
  await row(page, home).getByRole("alert").getByText("No more than one link a minute").waitFor();
  await row(page, home).getByText("Try again in 7 seconds.").waitFor();

  await person.confirm(home);
  await row(page, home).getByText("Confirmed").waitFor();
  await page.locator(".notice.good").getByText("This address is confirmed").waitFor();
  expect(await announced(page)).toContain(home);

  // Only one of several can be the default one.
  await add(page, home);
  await page.locator(".field").getByText("This address is one of your recipients already").waitFor();
  await person.newRecipient(work);
  await page.reload();
  await row(page, home).getByText("Default for new aliases").waitFor();
  await page.getByRole("button", { name: `Make default ${work}` }).click();
  await row(page, work).getByText("Default for new aliases").waitFor();
  expect(await announced(page)).toContain(work);
  await page.getByRole("switch", { name: `Aliases can forward to ${work}` }).click();
  await row(page, work).getByText("Switched off").waitFor();
  expect(await row(page, home).getByText("Default for new aliases").count()).toBe(0);
  await expectAccessible(page);
});

test("what is wrong with a mailbox is said where its address is", async () => {
  const person = await world.newPerson();
  const [wrong, never, fourth] = addressesOf(person, "wrong", "never", "fourth");
  world.gone.add(wrong);
  const page = await atRecipients(person, { bypassCSP: true });
  await add(page, "somebody@alias.example.com");
  await page.locator(".field").getByText("would come back to the service").waitFor();
  await add(page, wrong);
  await row(page, wrong).waitFor();
  await expect
    .poll(async () => (await person.api.listRecipients()).data.recipients[0]?.verification_note)
    .toContain("refused");
  await page.reload();
  await row(page, wrong).getByText("could not be delivered").waitFor();
  await expectAccessible(page);

  const { data } = await person.api.addRecipient(never);
  const token = await world.linkTo(never);
  await person.api.verifyRecipient({ token, suppress: "true" });
  await person.api.deleteRecipient(data.recipient_id);
  await add(page, never);
  await page.locator(".field").getByText("never wants to be asked again").waitFor();
  for (const name of ["second", "third"]) await person.api.addRecipient(`${name}-${fourth}`);
  await add(page, fourth);
  await page.locator(".field").getByText("3 recipients are still unconfirmed").waitFor();
  expect(await field(page).inputValue()).toBe(fourth);
});

test("before a recipient goes, its aliases are moved, which can be stopped and continued", async () => {
  const person = await world.newPerson();
  const [old, next, other] = addressesOf(person, "old", "next", "other");
  const [oldId, nextId] = [await person.newRecipient(old), await person.newRecipient(next)];
  const otherId = await person.newRecipient(other);
  // A call moves 25.
  for (let n = 0; n < 60; n += 1) await person.api.createAlias({ recipient_ids: [oldId] });
  const page = await atRecipients(person, { bypassCSP: true });
  await page.getByRole("button", { name: `Delete ${old}` }).click();
  const dialog = page.getByRole("dialog", { name: `Delete ${old}` });
  await dialog.getByText("60 aliases forward to this recipient").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Move" }).click();
  await dialog.locator(".bad-text").getByText("Choose a recipient").waitFor();

  // Whom they are moved to is switched off meanwhile.
  await person.api.updateRecipient(otherId, { active: false });
  await dialog.getByLabel("Move them to").selectOption(other);
  await dialog.getByRole("button", { name: "Move" }).click();
  await dialog.getByRole("alert").getByText("Not all of these recipients can be chosen").waitFor();
  await expect.poll(() => dialog.getByRole("option", { name: other }).count()).toBe(0);

  let calls = 0;
  await page.route("**/reassign", (route) => {
    calls += route.request().method() === "POST" ? 1 : 0;
    // The second answer does not come.
    return calls === 2 ? undefined : route.continue();
  });
  await dialog.getByLabel("Move them to").selectOption(next);
  await dialog.getByRole("button", { name: "Move" }).click();
  await dialog.getByText("25 of 60 moved").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => announced(page)).toContain("Stopped");
  expect((await person.api.getRecipient(nextId)).data.alias_count).toBe(25);
  await dialog.getByRole("button", { name: "Go on" }).click();
  await dialog.locator("p:focus").getByText("No alias forwards to it any more").waitFor();
  expect((await person.api.getRecipient(nextId)).data.alias_count).toBe(60);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.poll(() => row(page, old).count()).toBe(0);
  await expect.poll(() => announced(page)).toBe(`${old} was deleted`);
  // It was the last row: the one before it has the focus.
  await page.locator(".rows li:focus", { hasText: next }).waitFor();
  await row(page, next).getByRole("link", { name: "60 aliases" }).click();
  await page.getByText(`to ${next}`).first().waitFor();
  expect(new URL(page.url()).search).toBe(`?recipient=${nextId}`);
});

test("a recipient that an alias got meanwhile is not switched off; one that was deleted meanwhile goes", async () => {
  const person = await world.newPerson();
  const [home, other, lost] = addressesOf(person, "home", "other", "lost");
  const [homeId, lostId] = [await person.newRecipient(home), await person.newRecipient(lost)];
  await person.newRecipient(other);
  const page = await atRecipients(person);
  await row(page, home).waitFor();
  await person.api.createAlias({ recipient_ids: [homeId] });
  const toggle = page.getByRole("switch", { name: `Aliases can forward to ${home}` });
  await toggle.click();
  const dialog = page.getByRole("dialog", { name: `Switch off ${home}` });
  await dialog.getByText("1 alias forwards to this recipient").waitFor();
  await dialog.getByLabel("Move them to").selectOption(other);
  await dialog.getByRole("button", { name: "Move" }).click();
  await dialog.getByRole("button", { name: "Switch off" }).click();
  await row(page, home).getByText("Switched off").waitFor();
  await expect.poll(() => focused(page)).toBe(`Aliases can forward to ${home}`);

  await person.api.deleteRecipient(lostId);
  await page.getByRole("button", { name: `Delete ${lost}` }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("alert").getByText("There is no such recipient").waitFor();
  await expect.poll(() => row(page, lost).count()).toBe(0);
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("Recipients");
});

test.each(FAILURES)(
  "adding a recipient that fails with %s says so, and keeps its address",
  async (failure, text) => {
    const person = await world.newPerson();
    const [home] = addressesOf(person, "home");
    const page = await atRecipients(person);
    const failed = await failOnce(world, page, "**/v1/recipients", failure);
    await field(page).fill(home);
    await page.getByRole("button", { name: "Add the recipient" }).click();
    await page.getByRole("alert").getByText(text).waitFor();
    expect(await field(page).inputValue()).toBe(home);
    expect(failed()).toBe(1);
    await page.getByRole("button", { name: "Add the recipient" }).click();
    await row(page, home).waitFor();
  },
);

test("a change that fails is shown as it was; what is to be deleted stays", async () => {
  const person = await world.newPerson();
  const [home, work] = addressesOf(person, "home", "work");
  for (const each of [home, work]) await person.newRecipient(each);
  const page = await atRecipients(person);
  await failOnce(world, page, "**/v1/recipients/*", "unavailable");
  const toggle = page.getByRole("switch", { name: `Aliases can forward to ${work}` });
  await toggle.click();
  await row(page, work).getByRole("alert").getByText("The service cannot do this").waitFor();
  await expect.poll(() => toggle.getAttribute("aria-checked")).toBe("true");
  await page.unrouteAll();
  await failOnce(world, page, "**/v1/recipients/*", "a cut connection");
  await page.getByRole("button", { name: `Delete ${work}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByRole("alert").getByText("There is no connection").waitFor();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.poll(() => row(page, work).count()).toBe(0);
  // The next row has the focus.
  await page.locator(".rows li:focus", { hasText: home }).waitFor();
  expect((await person.api.listRecipients()).data.recipients).toHaveLength(1);
});

test("the longest address fits, also with doubled text and from right to left", async () => {
  const person = await world.newPerson();
  const long = `${"r".repeat(64)}@${"long.".repeat(35)}example.com`;
  await person.newRecipient(long);
  await person.api.addRecipient(`x${long.slice(1)}`);
  const screen = { width: 320, height: 700 };
  const page = await atRecipients(person, { viewport: screen, screen });
  await page.getByText("Confirmed").waitFor();
  await expectFitsEnlarged(page);
  await page.getByRole("button", { name: `Delete ${long}` }).click();
  await expectFits(page);
});
