import { expect, test } from "vitest";
import {
  announced,
  closeBrowserAtEnd,
  expectAccessible,
  expectFitsEnlarged,
  focused,
  openApp,
  signIn,
} from "./support/browser.ts";
import { FAILURES, failOnce } from "./support/failures.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

/** Somebody who looks at whom they have blocked. */
const atBlockedSenders = async (options: Parameters<typeof openApp>[2] = {}) => {
  const person = await world.newPerson();
  const page = await openApp(world, "/blocked-senders", options);
  await signIn(page, person);
  const field = page.getByLabel("Address or domain");
  const block = page.getByRole("button", { name: "Block", exact: true });
  const shown = () => page.locator(".rows li strong").allTextContents();
  await field.waitFor();
  return { person, page, field, block, shown };
};

test("a domain and an address are blocked, and unblocked", async () => {
  const { person, page, field, block, shown } = await atBlockedSenders({ bypassCSP: true });
  await page.getByRole("heading", { name: "You have blocked nobody" }).waitFor();
  await page.getByText("also stands for its subdomains").waitFor();
  // The warning, and what to do instead.
  await page.getByText("can find out which aliases belong to one person").waitFor();
  await page.getByText("have their mail discarded without a word").waitFor();
  await expectAccessible(page);
  await field.fill("neither@nor@");
  await block.click();
  await page.locator(".field").getByText("This is neither an address").waitFor();
  expect(await field.inputValue()).toBe("neither@nor@");
  await expectAccessible(page);
  for (const sender of ["spam.example", "ada@pushy.example", "spam.example"]) {
    await field.fill(sender);
    await block.dblclick();
    await page.locator(".notice.good").getByText(`Mail from ${sender} is refused now`).waitFor();
    expect(await field.inputValue()).toBe("");
  }
  await expect.poll(async () => (await shown()).sort()).toEqual(["ada@pushy.example", "spam.example"]);
  await page.locator("li", { hasText: "spam.example" }).getByText("with all subdomains").waitFor();
  await expectAccessible(page);

  const { alias_email } = await person.newAlias();
  expect(await world.send("Spam <x@mail.spam.example>", alias_email)).toMatch(/^5/);
  const [first = "", second = ""] = await shown();
  await page.getByRole("button", { name: `Unblock ${first}` }).click();
  await expect.poll(shown).toEqual([second]);
  expect(await announced(page)).toBe(`${first} is not blocked any more`);
  await page.locator(".rows li:focus", { hasText: second }).waitFor();
  await page.getByRole("button", { name: `Unblock ${second}` }).click();
  await page.getByRole("heading", { name: "You have blocked nobody" }).waitFor();
  expect(await focused(page)).toBe("Blocked senders");
  expect((await person.api.listBlockedSenders()).data.blocked_senders).toEqual([]);
});

test.each(FAILURES)(
  "blocking that fails with %s says so, and keeps what was typed",
  async (failure, text) => {
    const { page, field, block, shown } = await atBlockedSenders();
    const failed = await failOnce(world, page, "**/v1/blocked-senders", failure);
    await field.fill("spam.example");
    await block.click();
    await page.getByRole("alert").getByText(text).waitFor();
    expect(await field.inputValue()).toBe("spam.example");
    expect(failed()).toBe(1);
    await page.getByRole("link", { name: "Recipients" }).click();
    await page.getByRole("heading", { name: "Recipients", level: 1 }).waitFor();
    await page.goBack();
    expect(await field.inputValue()).toBe("spam.example");
    await block.click();
    await expect.poll(shown).toEqual(["spam.example"]);

    await failOnce(world, page, "**/v1/blocked-senders/*", "unavailable");
    await page.getByRole("button", { name: "Unblock spam.example" }).click();
    await page.locator("li").getByRole("alert").getByText("The service cannot do this").waitFor();
    expect(await shown()).toEqual(["spam.example"]);
  },
);

test("a long list is read to its end, and long names fit", async () => {
  const screen = { width: 320, height: 700 };
  const { person, page } = await atBlockedSenders({ viewport: screen, screen });
  const long = `${"a".repeat(64)}@${"long.".repeat(9)}example.com`;
  await person.api.blockSender(long);
  for (let n = 0; n < 230; n += 1) await person.api.blockSender(`d${n}.example`);
  await page.reload();
  await page.locator(".rows li").first().waitFor();
  const seen = new Set<string>();
  await expect
    .poll(
      async () => {
        for (const text of await page.locator(".rows li strong").allTextContents()) seen.add(text);
        await page.mouse.wheel(0, 2_000);
        return seen.size;
      },
      { interval: 20 },
    )
    .toBe(231);
  await expectFitsEnlarged(page);
});
