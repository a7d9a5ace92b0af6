import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { expect, test } from "vitest";

/** In bytes, compressed. */
const MOST = { all: 60_000, signIn: 30_000, styles: 7_000 };

const size = (code: string | Uint8Array): number => gzipSync(code).length;

test("the app is small, and all the more so until somebody has signed in", async () => {
  const built = await build({
    root: join(import.meta.dirname, ".."),
    logLevel: "warn",
    build: { write: false },
  });
  if (!("output" in built)) return expect.unreachable("there is one build");
  const chunks = new Map(
    built.output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part]] : [])),
  );
  const sum = (codes: readonly string[]) => codes.map(size).reduce((a, b) => a + b, 0);

  expect(sum([...chunks.values()].map(({ code }) => code))).toBeLessThanOrEqual(MOST.all);

  const styles = built.output.flatMap((part) =>
    part.fileName.endsWith(".css") && "source" in part ? [part] : [],
  );
  expect(styles.length).toBeGreaterThan(0);
  expect(styles.map(({ source }) => size(source)).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(
    MOST.styles,
  );

  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const each of chunks.get(name)?.imports ?? []) need(each);
  };
  const named = (name: string) =>
    [...chunks.values()].find((chunk) => chunk.name === name)?.fileName ?? expect.unreachable(name);
  for (const name of ["index", "english"]) need(named(name));
  expect(sum([...needed].map((name) => chunks.get(name)?.code ?? ""))).toBeLessThanOrEqual(MOST.signIn);
});
