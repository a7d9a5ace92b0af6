/// <reference lib="dom" />
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { launchChromium } from "../../packages/server/test/support/chromium.ts";
import { freePort } from "../../packages/test-support/src/free-port.ts";
import { startIdentityProvider } from "../../packages/trial/src/identity-provider/identity-provider.ts";
import { atMost, rowOf } from "../report/row.ts";
import { fillSqlite } from "../support/fill-sqlite.ts";
import { aliasesOf, DOMAIN, type Fixture } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";
import { inRelease } from "../support/release.ts";

const FIXTURE: Fixture = { accounts: 1, aliases: 10_000, recipients: 2, attached: 1 };
const PASSWORD = "Correct-password-1";

/** The built server with the app, until its port answers. */
const startServer = async (main: string, variables: Readonly<Record<string, string>>, app: string) => {
  const server = spawn(process.execPath, [main], {
    env: { PATH: process.env["PATH"], ...variables },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await fetch(app).catch(() => null))?.ok)
    if (server.exitCode !== null) throw new Error("no server");
  return async () => {
    server.kill("SIGTERM");
    await once(server, "exit");
  };
};

export const web: Path = {
  name: "web",
  about: "The browser app in Chromium on this machine, with an account of 10,000 aliases in SQLite",
  run: async ({ setup: { directory }, effort: { rounds } }) => {
    const path = join(directory, "web.db");
    fillSqlite(path, FIXTURE);
    const [first] = aliasesOf(FIXTURE);
    const [port, webPort] = [await freePort(), await freePort()];
    const app = `http://127.0.0.1:${webPort}`;
    const email = "person@people.example";
    const provider = await startIdentityProvider({
      origins: [app],
      people: [{ sub: first?.account ?? "", email, password: PASSWORD }],
    });
    const stop = await startServer(
      inRelease("main", directory),
      {
        PORT: `${port}`,
        POSTERN_PUBLIC_URL: `http://127.0.0.1:${port}`,
        POSTERN_SQLITE_PATH: path,
        POSTERN_ISSUER: provider.issuer,
        POSTERN_AUDIENCE: provider.clients.browser.id,
        POSTERN_ALIAS_DOMAINS: DOMAIN,
        POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
        POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
        POSTERN_MAIL_FROM: "postern@postern.test",
        POSTERN_RATE_LIMIT: "0",
        POSTERN_MAX_ALIASES: "0",
        POSTERN_WEB_PORT: `${webPort}`,
        POSTERN_WEB_SIGN_IN: "srp",
      },
      app,
    );
    const browser = await launchChromium();
    const [view, list, longest, rows]: [number[], number[], number[], number[]] = [[], [], [], []];
    // The first round fills the caches of the system.
    for (let round = -1; round < rounds; round += 1) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.addInitScript(() => {
        const seen = { longest: 0 };
        Object.assign(globalThis, { seen });
        new PerformanceObserver((entries) => {
          for (const { duration } of entries.getEntries()) seen.longest = Math.max(seen.longest, duration);
        }).observe({ type: "longtask" });
      });
      const opened = performance.now();
      await page.goto(app);
      await page.locator("input[name=username]").waitFor();
      const shown = performance.now() - opened;
      await page.locator("input[name=username]").fill(email);
      await page.locator("input[name=password]").fill(PASSWORD);
      const submitted = performance.now();
      await page.locator("form button").click();
      await page.locator(".rows li").first().waitFor();
      const listed = performance.now() - submitted;
      // What signing in computes is not part of the list.
      await page.evaluate(() => Object.assign(Reflect.get(globalThis, "seen"), { longest: 0 }));
      let most = 0;
      const oldest = page.locator(".rows a", { hasText: first?.email ?? "" });
      while ((await oldest.count()) === 0) {
        const [failure] = await page.getByRole("alert").allTextContents();
        if (failure !== undefined) throw new Error(`The list ended: ${failure}`);
        await page.mouse.wheel(0, 4_000);
        most = Math.max(most, await page.locator(".rows li").count());
      }
      const task = await page.evaluate((): number => Reflect.get(globalThis, "seen").longest);
      await context.close();
      if (round < 0) continue;
      view.push(shown / 1_000);
      list.push(listed / 1_000);
      longest.push(task);
      rows.push(most);
    }
    await browser.close();
    await stop();
    await provider.stop();
    return {
      rows: [
        rowOf({ path: "first view", what: "from the address to the form", goal: atMost(0.5, "s") }, view),
        rowOf({ path: "sign-in", what: "from the password to the list", goal: atMost(0.6, "s") }, list),
        rowOf(
          { path: "10,000 aliases", what: "longest task while scrolling to the end", goal: atMost(50, "ms") },
          longest,
        ),
        rowOf({ path: "10,000 aliases", what: "most rows in the document", goal: atMost(300) }, rows),
      ],
      rounds: [],
    };
  },
};
