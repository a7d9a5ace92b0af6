import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { openReader } from "./reader.ts";

const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1024, height: 640 },
];

/** Writes one picture of the pages at `urls`, one per column, on a phone and a desktop: `docs/images/verify-….png`. */
export const keepScreenshots = async (
  browser: Browser,
  colorScheme: "light" | "dark",
  urls: readonly string[],
): Promise<void> => {
  const rows: string[] = [];
  for (const viewport of WINDOWS) {
    const { page } = await openReader(browser, { colorScheme, viewport });
    for (const url of urls) {
      await page.goto(url);
      const shot = (await page.screenshot()).toString("base64");
      rows.push(`<img width="${Math.min(viewport.width, 460)}" src="data:image/png;base64,${shot}">`);
    }
  }
  const sheet = await openReader(browser, { viewport: { width: 500 * urls.length, height: 600 } });
  await sheet.page.setContent(`
    <body style="margin: 0; padding: 20px; background: #7b818c">
    <div style="display: grid; grid-template-columns: repeat(${urls.length}, 1fr); gap: 20px; justify-items: center">
    ${rows.join("")}
  `);
  const path = fileURLToPath(new URL(`../../../../docs/images/verify-${colorScheme}.png`, import.meta.url));
  await sheet.page.screenshot({ path, fullPage: true });
};
