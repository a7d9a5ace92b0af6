import { nodeSecrets } from "@postern/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./support/chromium.ts";
import { environment } from "./support/environment.ts";
import { openReader } from "./support/reader.ts";
import { newPersonWithMessage, startService } from "./support/service.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

const service = await startService();

const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
const confirmed = /&confirm=true$/;

const confirm = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Confirm this address" }).click();
  await page.waitForURL(confirmed);
};
const suppress = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Never write to me again" }).click();
  await page.waitForURL(/&suppress=true$/);
};

test("the link in the message leads to a page whose button verifies the recipient", async () => {
  const person = await newPersonWithMessage(service);
  const { page, requests, complaints } = await openReader(browser);
  await page.setContent(person.html);
  await page.getByRole("link", { name: "Confirm this address" }).click();
  await page.waitForURL(person.link);
  expect(await heading(page)).toBe("Confirm your address");
  await page.reload();
  expect(await person.recipients()).toMatchObject([{ recipient_email: person.address, verified: false }]);

  await confirm(page);
  expect(await heading(page)).toBe("Your address is confirmed");
  expect(await person.recipients()).toMatchObject([
    { recipient_email: person.address, verified: true, datetime_verified: expect.any(Number) },
  ]);
  expect(complaints).toEqual([]);
  expect(requests).toEqual([person.link, person.link, `${person.link}&confirm=true`]);
});

test("the link can be used again and changes nothing", async () => {
  const person = await newPersonWithMessage(service);
  const { page, complaints } = await openReader(browser);
  await page.goto(person.link);
  await confirm(page);
  const before = await person.recipients();
  expect(before).toMatchObject([{ verified: true }]);

  await page.goto(person.link);
  expect(await heading(page)).toBe("Confirm your address");
  await confirm(page);
  expect(await heading(page)).toBe("Your address is confirmed");
  await page.reload();
  expect(await heading(page)).toBe("Your address is confirmed");
  expect(await person.recipients()).toEqual(before);
  expect(complaints).toEqual([]);
});

test("the other button stops messages for good, and its page says so", async () => {
  const person = await newPersonWithMessage(service);
  const { page, complaints } = await openReader(browser);
  await page.goto(person.link);
  await suppress(page);
  expect(await heading(page)).toBe("You will get no more messages");
  expect(complaints).toEqual([]);
  const before = service.mailbox.messages.length;
  expect(await person.addRecipient(person.address.replace("@", "+again@"))).toMatchObject({
    status: 403,
    body: { code: "mailbox_suppressed" },
  });
  expect(service.mailbox.messages).toHaveLength(before);
});

test("a link that has expired still stops messages, from the page that reports it", async () => {
  const person = await newPersonWithMessage(service);
  const { page } = await openReader(browser);
  await page.goto(resealed(person.link, ours, Date.now() - 1));
  await confirm(page);
  expect(await heading(page)).toBe("This link does not work");
  await suppress(page);
  expect(await heading(page)).toBe("You will get no more messages");
});

test("the page works with Tab and Enter only, without scripts", async () => {
  const person = await newPersonWithMessage(service);
  const { page } = await openReader(browser, { javaScriptEnabled: false });
  await page.goto(person.link);
  await page.keyboard.press("Tab");
  expect(await page.locator(":focus").textContent()).toBe("Confirm this address");
  await page.keyboard.press("Enter");
  await page.waitForURL(confirmed);
  expect(await heading(page)).toBe("Your address is confirmed");
  expect(await person.recipients()).toMatchObject([{ verified: true }]);
});

const ours = nodeSecrets({ linkSecrets: [environment.POSTERN_LINK_SECRET] });
const theirs = nodeSecrets({ linkSecrets: ["x".repeat(32)] });

/** The same link with its claims sealed again. */
const resealed = (link: string, secrets: typeof ours, expiresAt: number): string => {
  const url = new URL(link);
  const claims = ours.open(url.searchParams.get("token") ?? "") ?? expect.unreachable("not our token");
  url.searchParams.set("token", secrets.seal({ ...claims, expiresAt }));
  return url.href;
};

test("forged and expired links lead to the same page and verify nothing", async () => {
  const person = await newPersonWithMessage(service);
  const later = Date.now() + 60_000;
  const pages = new Set<string>();
  for (const link of [
    resealed(person.link, theirs, later),
    resealed(person.link, ours, Date.now() - 1),
    `${person.link}A`,
  ]) {
    const { page, requests, complaints } = await openReader(browser);
    await page.goto(link);
    expect(await heading(page)).toBe("Confirm your address");
    const [response] = await Promise.all([page.waitForEvent("response"), confirm(page)]);
    expect(await heading(page)).toBe("This link does not work");
    const token = new URL(link).searchParams.get("token") ?? "";
    pages.add(`${response.status()} ${(await response.text()).replace(token, "…")}`);
    // The browser reports the status of the page itself, and nothing else.
    expect(complaints).toEqual([expect.stringContaining("the server responded with a status of 400")]);
    expect(requests).toEqual([link, `${link}&confirm=true`]);
  }
  expect(pages.size).toBe(1);
  expect(await person.recipients()).toMatchObject([{ verified: false }]);

  // With the right key and time the same claims are valid.
  const { page } = await openReader(browser);
  await page.goto(resealed(person.link, ours, later));
  await confirm(page);
  expect(await heading(page)).toBe("Your address is confirmed");
  expect(await person.recipients()).toMatchObject([{ verified: true }]);
});

test("without a mail server the recipient is stored, and its address is not logged", async () => {
  const service = await startService();
  await service.mailbox.stop();
  const { address, addRecipient, recipients } = service.newPerson();
  const added = await addRecipient();
  expect(added).toMatchObject({ status: 201, body: { verified: false, verification_mail: "not_sent" } });
  expect(await recipients()).toMatchObject([{ recipient_email: address, verified: false }]);
  const log = await service.stop();
  expect(log).toContain("serving");
  expect(log).not.toContain(address);
});
