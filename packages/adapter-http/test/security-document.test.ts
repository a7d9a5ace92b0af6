import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../../", import.meta.url);

test("SECURITY.md names tests that exist", () => {
  const document = readFileSync(new URL("SECURITY.md", ROOT), "utf8");
  const names = new Set([...document.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, name = ""]) => name));
  expect(names.size).toBeGreaterThan(10);
  const missing = [...names].filter((name) => {
    const path = name.startsWith("packages/") ? name : `packages/adapter-http/test/${name}`;
    return !existsSync(new URL(path, ROOT));
  });
  expect(missing).toEqual([]);
});
