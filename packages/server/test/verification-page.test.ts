import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "./support/chromium.ts";
import { BLACK, contrast, doubleText, focusOutline, overflow, texts } from "./support/page-measures.ts";
import { keepScreenshots } from "./support/page-screenshots.ts";
import { openReader } from "./support/reader.ts";
import { newPersonWithMessage, startService } from "./support/service.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

const service = await startService();

const SCHEMES = ["light", "dark"] as const;

/** The URL of each page: before confirming, after it, after confirming an invalid link, and after stopping messages. */
const pagesOf = (link: string) => [
  link,
  `${link}&confirm=true`,
  `${link}A&confirm=true`,
  `${link}&suppress=true`,
];

/** Checks that the page follows the color scheme and that every text has the contrast of WCAG 2.2, 1.4.3. */
const expectReadable = async (page: Page, scheme: (typeof SCHEMES)[number]) => {
  const shown = await texts(page);
  expect(shown.length).toBeGreaterThanOrEqual(3);
  expect(contrast(shown[0]?.behind ?? BLACK, BLACK) > 10).toBe(scheme === "light");
  for (const { text, color, behind } of shown) {
    expect(contrast(color, behind), text).toBeGreaterThanOrEqual(4.5);
  }
};

describe.each(SCHEMES)("in the %s scheme", (colorScheme) => {
  test("each page is readable and shows the focus clearly", async () => {
    const { link } = await newPersonWithMessage(service);
    const { page } = await openReader(browser, { colorScheme });
    for (const url of pagesOf(link)) {
      await page.goto(url);
      await expectReadable(page, colorScheme);
    }
    await page.goto(link);
    for (const button of ["Confirm this address", "Never write to me again"]) {
      await page.keyboard.press("Tab");
      expect(await page.locator(":focus").textContent()).toBe(button);
      const outline = await focusOutline(page);
      expect(outline).toMatchObject({ style: "solid", width: "3px" });
      // WCAG 2.2, 1.4.11.
      expect(contrast(outline.color, outline.around)).toBeGreaterThanOrEqual(3);
    }
  });

  test("a button stays readable under the pointer", async () => {
    const { link } = await newPersonWithMessage(service);
    const { page } = await openReader(browser, { colorScheme });
    await page.goto(link);
    for (const button of await page.getByRole("button").all()) {
      await button.hover();
      await expectReadable(page, colorScheme);
    }
  });

  test("the message is readable on a small phone and loads nothing", async () => {
    const { html } = await newPersonWithMessage(service);
    const viewport = { width: 320, height: 640 };
    const { page, requests } = await openReader(browser, { colorScheme, viewport });
    await page.setContent(html);
    await expectReadable(page, colorScheme);
    expect(await overflow(page)).toBe(0);
    expect(requests).toEqual([]);
  });
});

// 160 pixels is a window of 320 at 200% zoom.
test("nothing scrolls horizontally, and the buttons are large enough for a thumb", async () => {
  const { link } = await newPersonWithMessage(service);
  const { page } = await openReader(browser);
  for (const width of [1280, 390, 320, 160]) {
    await page.setViewportSize({ width, height: 640 });
    for (const url of pagesOf(link)) {
      await page.goto(url);
      expect(await overflow(page), `${width} pixels`).toBe(0);
      await doubleText(page);
      expect(await overflow(page), `${width} pixels, text doubled`).toBe(0);
    }
    await page.goto(link);
    const buttons = await page.getByRole("button").all();
    expect(buttons).toHaveLength(2);
    for (const button of buttons) {
      const { height = 0, width: across = 0 } = (await button.boundingBox()) ?? {};
      expect(Math.min(height, across)).toBeGreaterThanOrEqual(44);
    }
  }
});

if (process.env["SCREENSHOTS"] === "1") {
  test.each(SCHEMES)("retakes the %s screenshots of the documentation", async (scheme) => {
    const { link } = await newPersonWithMessage(service);
    await keepScreenshots(browser, scheme, pagesOf(link));
  });
}
