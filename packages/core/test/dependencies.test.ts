import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../../..");

/** The arrows of docs/architecture.md: the packages that each package may import. */
const ALLOWED: Record<string, readonly string[]> = {
  core: [],
  node: ["core"],
  "adapter-contracts": ["core"],
  "adapter-memory": ["core"],
  "adapter-sqlite": ["core"],
  "adapter-dynamodb": ["core"],
  "adapter-postgres": ["core"],
  "adapter-smtp": ["core"],
  "adapter-smtp-in": ["core"],
  "adapter-webhooks": ["core"],
  "adapter-http": ["core"],
  archive: ["core"],
  "test-support": ["core", "adapter-memory", "adapter-sqlite", "adapter-dynamodb", "adapter-postgres"],
  server: [
    "core",
    "node",
    "archive",
    "adapter-memory",
    "adapter-sqlite",
    "adapter-dynamodb",
    "adapter-postgres",
    "adapter-smtp",
    "adapter-smtp-in",
    "adapter-webhooks",
    "adapter-http",
  ],
  trial: ["core", "server"],
};

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});

const packages = globSync("packages/*/package.json", { cwd: ROOT }).map((file) => ({
  name: basename(dirname(file)),
  manifest: Manifest.parse(JSON.parse(readFileSync(join(ROOT, file), "utf8"))),
}));

const sourcesOf = (name: string): readonly string[] =>
  globSync("src/**/*.ts", { cwd: join(ROOT, "packages", name) }).map((file) =>
    readFileSync(join(ROOT, "packages", name, file), "utf8"),
  );

/** What a source imports, except its own package's files. */
const importsOf = (source: string): readonly string[] =>
  [...source.matchAll(/^(?:import|export)[^;]*?from "([^"]+)"|^import "([^"]+)"/gm)]
    .map(([, from, bare]) => from ?? bare ?? "")
    .filter((from) => !from.startsWith("."));

describe.each(packages)("$name", ({ name, manifest }) => {
  test("depends only on the Postern packages that the architecture allows", () => {
    const ours = Object.keys(manifest.dependencies)
      .filter((dependency) => dependency.startsWith("@postern/"))
      .map((dependency) => dependency.slice("@postern/".length));
    expect(ALLOWED[name]).toEqual(expect.arrayContaining(ours));
  });

  test("imports only what it declares", () => {
    const declared = new Set([
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.peerDependencies),
    ]);
    const imported = sourcesOf(name)
      .flatMap(importsOf)
      .filter((from) => !from.startsWith("node:"))
      .map((from) => from.split("/", from.startsWith("@") ? 2 : 1).join("/"));
    expect(imported.filter((from) => !declared.has(from))).toEqual([]);
  });
});

describe("core", () => {
  const core = packages.find(({ name }) => name === "core");

  test("depends on neverthrow and zod only", () => {
    expect(Object.keys(core?.manifest.dependencies ?? {}).sort()).toEqual(["neverthrow", "zod"]);
  });

  test("uses no clock, no random numbers and no runtime APIs", () => {
    const sources = sourcesOf("core");
    expect(sources.length).toBeGreaterThan(20);
    for (const source of sources) {
      expect(source).not.toMatch(/\bnew Date\b|\bDate[.(]|Math\.random|\bglobalThis\b|\bprocess\.|"node:/);
    }
  });
});

test("only the server imports the container", () => {
  for (const { name } of packages) {
    const importsContainer = sourcesOf(name).flatMap(importsOf).includes("inversify");
    expect(importsContainer).toBe(name === "server");
  }
});
