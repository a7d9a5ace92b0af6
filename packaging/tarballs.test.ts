import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import * as z from "zod";
import { run } from "./run.ts";

const packed = inject("packed");

const SourceMap = z.object({
  sources: z.array(z.string()),
  sourcesContent: z.array(z.string().nullable()).default([]),
});

const tool = (name: string) => join(import.meta.dirname, "node_modules/.bin", name);

test("publishes these packages and no others", () => {
  expect(packed.map(({ name }) => name).toSorted()).toEqual([
    "@postern/adapter-contracts",
    "@postern/adapter-dynamodb",
    "@postern/adapter-http",
    "@postern/adapter-lambda",
    "@postern/adapter-memory",
    "@postern/adapter-postgres",
    "@postern/adapter-ses",
    "@postern/adapter-smtp",
    "@postern/adapter-smtp-in",
    "@postern/adapter-sqlite",
    "@postern/adapter-webhooks",
    "@postern/archive",
    "@postern/cli",
    "@postern/client",
    "@postern/core",
    "@postern/mail",
    "@postern/mail-in",
    "@postern/node",
    "@postern/sign-in",
  ]);
});

test("npm, which would make a tarball that cannot be installed, does not pack them", async () => {
  const core = join(import.meta.dirname, "../packages/core");
  // pnpm, which runs this test, sets a variable that would make npm call itself pnpm.
  const packing = run("npm", ["pack", "--dry-run", "--user-agent=npm"], core);
  await expect(packing).rejects.toThrow("Only pnpm can pack this package");
});

describe.each(packed)("$name", ({ name, folder, tarball, manifest }) => {
  test("passes publint", () => run(tool("publint"), ["run", tarball, "--strict"], folder));

  test("passes attw", () =>
    run(tool("attw"), [tarball, "--profile", "esm-only", "--no-definitely-typed"], folder));

  test("accepts newer minor versions of its dependencies", () => {
    for (const [dependency, range] of Object.entries(manifest.dependencies)) {
      expect(range, dependency).toMatch(/^\^\d+\.\d+\.\d+$/);
    }
    for (const [peer, range] of Object.entries(manifest.peerDependencies)) {
      expect(range, peer).toMatch(/^(\^|>=)\d+\.\d+\.\d+$/);
    }
  });

  test("names its directory in the repository", () => {
    expect(manifest.repository.directory).toBe(name.replace("@postern/", "packages/"));
  });

  test.each(["README.md", "LICENSE"])("contains %s", (file) => {
    expect(existsSync(join(folder, file))).toBe(true);
  });

  test("maps every module to a source that can be read", () => {
    const modules = globSync("dist/**/*.js", { cwd: folder });
    expect(modules.length).toBeGreaterThan(0);
    for (const module of modules) expect(existsSync(join(folder, `${module}.map`)), module).toBe(true);

    for (const map of globSync("dist/**/*.map", { cwd: folder })) {
      const { sources, sourcesContent } = SourceMap.parse(
        JSON.parse(readFileSync(join(folder, map), "utf8")),
      );
      for (const [index, source] of sources.entries()) {
        expect(isAbsolute(source), map).toBe(false);
        const file = join(dirname(map), source);
        expect(file, map).toMatch(/^src\//);
        expect(typeof sourcesContent[index] === "string" || existsSync(join(folder, file)), map).toBe(true);
      }
    }
  });
});
