import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const LARGEST = 6 * 1024;

test("everything together is at most 6 KiB, minified and compressed, and runs without Node", async () => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../src/index.ts"),
    platform: "browser",
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const [{ code, imports }, ...others] = output;
  expect([imports, others]).toEqual([[], []]);
  expect(code).not.toMatch(/node:|process\.|Buffer/);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(LARGEST);
});
