import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** A fresh browser context that is closed with the test. */
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
    /** The URL of every request that the browser made. */
    requests: requests as readonly string[],
    /** Everything on its console, including failed loads and violations of the content security policy. */
    complaints: complaints as readonly string[],
  };
};
