import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { wordsIn } from "@postern/core/words";
import { newDirectory } from "@postern/test-support/new-directory";
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

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3000 64">
<script>throw new Error("scripts run")</script>
<image href="https://tracker.test/pixel.png" width="8" height="8"/>
<rect width="3000" height="64" fill="#9a3412"/>
</svg>`;

const logo = join(newDirectory(), "logo.svg");
writeFileSync(logo, LOGO);

/** The longest name, with a word that is too long for a phone. */
const NAME = `Donaudampfschifffahrtsgesellschaftspostkästen ${"Ä".repeat(18)}`;

/** The service as it is, for a reader of English; and one with a name, a website and a logo, for a reader of German. */
const READERS = [
  { locale: "en-GB", words: wordsIn("en").page, service: await startService() },
  {
    locale: "de-AT",
    words: wordsIn("de").page,
    service: await startService({
      POSTERN_SERVICE_NAME: NAME,
      POSTERN_SERVICE_URL: "https://www.donaudampfschifffahrtsgesellschaftspostkaesten.test/ueber-uns",
      POSTERN_SERVICE_LOGO: logo,
      POSTERN_LANGUAGE: "de",
      POSTERN_PUBLIC_DOCUMENT: "true",
    }),
  },
] as const;

const SCHEMES = ["light", "dark"] as const;

/** The URL of each page: before confirming, after it, after confirming an invalid link, and after stopping messages. */
const pagesOf = (link: string) => [
  link,
  `${link}&confirm=true`,
  `${link}A&confirm=true`,
  `${link}&suppress=true`,
];

/** Those pages, and what is at the address of the service itself. */
const allPagesOf = (link: string) => [...pagesOf(link), new URL("/", link).href];

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
  test.each(READERS)(
    "each page is readable and shows the focus clearly ($locale)",
    async ({ locale, words, service }) => {
      const { link } = await newPersonWithMessage(service);
      const { page } = await openReader(browser, { colorScheme, locale });
      for (const url of allPagesOf(link)) {
        await page.goto(url);
        await expectReadable(page, colorScheme);
      }
      await page.goto(link);
      const links = await page.getByRole("link").allTextContents();
      for (const target of [words.confirm.button, words.suppress, ...links]) {
        await page.keyboard.press("Tab");
        expect(await page.locator(":focus").textContent()).toBe(target);
        const outline = await focusOutline(page);
        expect(outline).toMatchObject({ style: "solid", width: "3px" });
        // WCAG 2.2, 1.4.11.
        expect(contrast(outline.color, outline.around)).toBeGreaterThanOrEqual(3);
      }
    },
  );

  test.each(READERS)("a button stays readable under the pointer ($locale)", async ({ locale, service }) => {
    const { link } = await newPersonWithMessage(service);
    const { page } = await openReader(browser, { colorScheme, locale });
    await page.goto(link);
    for (const button of await page.getByRole("button").all()) {
      await button.hover();
      await expectReadable(page, colorScheme);
    }
  });

  test.each(READERS)(
    "the message is readable on a small phone and loads nothing ($locale)",
    async ({ service }) => {
      const { html } = await newPersonWithMessage(service);
      const viewport = { width: 320, height: 640 };
      const { page, requests } = await openReader(browser, { colorScheme, viewport });
      await page.setContent(html);
      await expectReadable(page, colorScheme);
      expect(await overflow(page)).toBe(0);
      expect(requests).toEqual([]);
    },
  );
});

/** Checks that buttons and links are large enough for a thumb. */
const expectPressable = async (page: Page) => {
  for (const target of await page.locator("button, a").all()) {
    const { height = 0, width = 0 } = (await target.boundingBox()) ?? {};
    expect(Math.min(height, width)).toBeGreaterThanOrEqual(44);
  }
};

// 160 pixels is a window of 320 at 200% zoom.
test.each(READERS)(
  "nothing scrolls horizontally, and what can be pressed is large enough for a thumb ($locale)",
  async ({ locale, service }) => {
    const { link } = await newPersonWithMessage(service);
    const { page } = await openReader(browser, { locale });
    for (const width of [1280, 390, 320, 160]) {
      await page.setViewportSize({ width, height: 640 });
      for (const url of allPagesOf(link)) {
        await page.goto(url);
        expect(await overflow(page), `${width} pixels`).toBe(0);
        await doubleText(page);
        expect(await overflow(page), `${width} pixels, text doubled`).toBe(0);
      }
      await page.goto(link);
      const buttons = await page.getByRole("button").all();
      expect(buttons).toHaveLength(2);
      await expectPressable(page);
      await page.goto(new URL("/", link).href);
      await expectPressable(page);
    }
  },
);

test("the logo is shown in proportion; it runs nothing and loads nothing", async () => {
  for (const { locale, service } of READERS.slice(1)) {
    const { link } = await newPersonWithMessage(service);
    const { page, requests, complaints } = await openReader(browser, {
      locale,
      viewport: { width: 390, height: 844 },
    });
    await page.goto(link);
    const { width = 0, height = 0 } = (await page.locator("img").boundingBox()) ?? {};
    expect(width).toBeGreaterThan(200);
    expect(width / height).toBeCloseTo(3000 / 64, 0);
    expect(await page.evaluate("document.querySelector('img').naturalWidth")).toBeGreaterThan(0);
    expect(await page.title()).toBe(`${wordsIn("de").page.confirm.title} – ${NAME}`);
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([link]);
  }
});

test("the language of the page is the reader's, that of the message the setting's", async () => {
  for (const { service, words } of READERS) {
    const { link, html } = await newPersonWithMessage(service);
    for (const [locale, shown] of [
      ["en-US", wordsIn("en").page],
      ["de-CH", wordsIn("de").page],
      ["fr-FR", words],
    ] as const) {
      const { page } = await openReader(browser, { locale });
      await page.goto(link);
      expect(await page.getByRole("heading").textContent()).toBe(shown.confirm.title);
    }
    expect(html).toContain(words.confirm.button);
  }
});

if (process.env["SCREENSHOTS"] === "1") {
  test.each(SCHEMES)("retakes the %s screenshots of the documentation", async (scheme) => {
    const [{ service }] = READERS;
    const { link } = await newPersonWithMessage(service);
    await keepScreenshots(browser, scheme, pagesOf(link));
  });
}
