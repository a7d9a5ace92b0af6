import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const PACKAGE = join(import.meta.dirname, "..");

test("bundled, minified and compressed, the whole package is at most 4 KB, and imports nothing", async () => {
  const bundle = await rolldown({ input: join(PACKAGE, "src/index.ts"), platform: "browser" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const [chunk, ...others] = output;
  expect(others).toEqual([]);
  expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
  expect(chunk.code).not.toMatch(/\b(process|Buffer|require)\b/);
  expect(gzipSync(chunk.code).length).toBeLessThanOrEqual(4_096);
});
