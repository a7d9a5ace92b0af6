import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** A browser with nothing remembered, gone when the test is. */
export const openReader = async (browser: Browser, options: BrowserContextOptions = {}) => {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  context.on("console", (message) => complaints.push(message.text()));
  context.on("weberror", (error) => complaints.push(error.error().message));
  const page: Page = await context.newPage();
  return {
    page,
    /** Every request the browser made. */
    requests: requests as readonly string[],
    /** What it wrote to its console: what failed to load and what the policy forbade, too. */
    complaints: complaints as readonly string[],
  };
};
