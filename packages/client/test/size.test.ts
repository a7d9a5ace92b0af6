import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bundled } from "./support/bundled.ts";

test("everything together is at most 6 KB, minified and compressed, and uses nothing of Node", async () => {
  const code = await bundled();
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(6_000);
  expect(code).not.toMatch(/node:|process\.|Buffer/);
});
