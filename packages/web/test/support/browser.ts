/// <reference lib="dom" />
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";
import { launchChromium } from "../../../server/test/support/chromium.ts";
import type { World } from "./world.ts";

let launched: Promise<Browser> | null = null;

/** One for the tests of a file. */
const browser = (): Promise<Browser> => {
  launched ??= launchChromium();
  return launched;
};

/** To be called at the top of each file that opens the app. */
export const closeBrowserAtEnd = (): void =>
  afterAll(async () => {
    const closing = launched;
    launched = null;
    await (await closing)?.close();
  });

/** The browser's own line for a response that a test has provoked. */
const PROVOKED = /^Failed to load resource: (the server responded with a status of [45]|net::ERR_)/;

/**
 * The app in a browser of its own, under the CSP. At the end of the test, the console must be empty but for failed requests, no host but
 * those of the app, the API and the identity provider was asked, and nothing secret is in the storage that lasts or in an address.
 */
export const openApp = async (
  world: Pick<World, "app" | "api" | "provider">,
  path = "/",
  options: BrowserContextOptions = {},
) => {
  const context = await (await browser()).newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    ...options,
  });
  // Only a failing test waits this long.
  context.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  const hosts = new Set<string>();
  const addresses = new Set<string>();
  context.on("console", (message) => complaints.push(message.text()));
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "blob:") hosts.add(url.origin);
    if (request.isNavigationRequest()) addresses.add(url.href);
  });
  const page = await context.newPage();
  onTestFinished(async () => {
    const kept = await Promise.all(
      context.pages().map((each) => each.evaluate(() => Object.keys(localStorage)).catch(() => [])),
    );
    await context.close();
    expect(complaints.filter((text) => !PROVOKED.test(text))).toEqual([]);
    const { origin } = new URL(world.provider.issuer);
    expect([...hosts].filter((host) => ![world.app, world.api, origin].includes(host))).toEqual([]);
    expect(kept.flat().filter((key) => key !== "theme")).toEqual([]);
    for (const address of addresses) expect(address).not.toMatch(/@|eyJ/);
  });
  await page.goto(world.app + path);
  return page;
};

type Credentials = { readonly email: string; readonly password: string };

/** Enters a name and a password, whatever comes of it. */
export const enter = async (page: Page, { email, password }: Credentials): Promise<void> => {
  await page.locator("input[name=username]").fill(email);
  await page.locator("input[name=password]").fill(password);
  await page
    .locator("form", { has: page.locator("input[name=username]") })
    .locator("button")
    .click();
};

/** Signs in with the form. */
export const signIn = async (page: Page, credentials: Credentials): Promise<void> => {
  await enter(page, credentials);
  await page.locator(".shell h1").waitFor();
};

/** What axe finds wrong, in light and in dark. The page must have been opened with `bypassCSP`. */
export const expectAccessible = async (page: Page): Promise<void> => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(
      violations.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)]),
      page.url(),
    ).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
};

/** Nothing is wider than the screen. */
export const expectFits = async (page: Page): Promise<void> => {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, screen.width]);
  expect(content, page.url()).toBeLessThanOrEqual(window ?? 0);
};

/** Nor is anything if the text is twice as large, and then also from right to left. The page stays like that. */
export const expectFitsEnlarged = async (page: Page): Promise<void> => {
  await expectFits(page);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "200%";
  });
  await expectFits(page);
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  await expectFits(page);
};

/** What has the focus: its name, or its text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "",
  );

/** What was announced last to those who do not see the page. */
export const announced = (page: Page): Promise<string> =>
  page
    .locator("output.unseen")
    .textContent()
    .then((text) => (text ?? "").trim());
