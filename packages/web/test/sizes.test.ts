import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test, vi } from "vitest";
import { buildWeb } from "../build.ts";

/** In bytes, compressed. A person loads one of the languages. */
const MOST = { person: 73_000, signIn: 30_000, styles: 7_000 };

test("the app is small, and all the more so until somebody has signed in", async () => {
  const folder = newDirectory();
  // The build sets it, for good.
  vi.stubEnv("NODE_ENV", "production");
  await buildWeb(folder);
  const files = new Map(
    globSync("assets/*.{js,css}", { cwd: folder }).map((path) => [
      path.slice("assets/".length),
      readFileSync(join(folder, path), "utf8"),
    ]),
  );
  const named = (start: string) => {
    const [found, ...others] = [...files.keys()].filter((name) => name.startsWith(`${start}-`));
    return found === undefined || others.length > 0 ? expect.unreachable(start) : found;
  };
  const size = (names: Iterable<string>) =>
    [...names].map((name) => gzipSync(files.get(name) ?? "").length).reduce((a, b) => a + b, 0);

  const scripts = [...files.keys()].filter((name) => name.endsWith(".js"));
  expect(size(scripts.filter((name) => name !== named("german")))).toBeLessThanOrEqual(MOST.person);
  expect(size([named("style")])).toBeLessThanOrEqual(MOST.styles);

  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const [, path = ""] of (files.get(name) ?? "").matchAll(/(?:from|import)\s?"\.\/([^"]+)"/g))
      need(path);
  };
  need(named("index"));
  need(named("english"));
  expect(needed.size).toBeGreaterThan(2);
  expect(size(needed)).toBeLessThanOrEqual(MOST.signIn);
});
