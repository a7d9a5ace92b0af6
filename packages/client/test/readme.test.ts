import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { throwing } from "../src/index.ts";
import { startService } from "./support/service.ts";

const { proxy, newAccount } = await startService();
const account = newAccount();
const [home, work] = [await account.newRecipient("home"), await account.newRecipient("work")];
await throwing(account.client).createAlias({ alias_email: "shop@alias.example.com", recipient_ids: [home] });

/** What the program sees in place of what it takes for granted. */
const GIVEN = `
  const [idToken, home, work] = ${JSON.stringify([account.token, home, work])};
  const [signIn, refresh] = [async () => ${JSON.stringify(account.expired)}, async () => idToken];
  const body = JSON.stringify({ type: "alias.renamed", timestamp: "2026-11-02T08:15:00.000Z", data: {} });`;

test.each([
  ["the beginning", block("packages/client/README.md", "@postern/client"), /^\S+ forwards to 2 mailboxes\n$/],
  ["Results", block("packages/client/README.md", "Results"), /^alias_not_found: /],
  ["Lists", block("packages/client/README.md", "Lists"), /^shop@alias\.example\.com\nwork\S+\nhome\S+\n$/],
  ["Tokens", block("packages/client/README.md", "Tokens"), /^true\n$/],
  ["Keys", block("packages/client/README.md", "Keys"), /^true\n$/],
  ["Events", block("packages/client/README.md", "Events"), /^$/],
])("the program in the README runs: %s", async (_, program, prints) => {
  // In this package, so that it finds the package by its name.
  const programs = join(import.meta.dirname, "../.programs");
  mkdirSync(programs, { recursive: true });
  const file = join(newDirectory(programs), "program.ts");
  writeFileSync(
    file,
    program.replace(/^(?!import|$)/m, `${GIVEN}\n$&`).replace("https://post.example/v1", `${proxy.url}/v1`),
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file]);
  expect(stdout + stderr).toMatch(prints);
});
