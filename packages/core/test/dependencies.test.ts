import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../../..");

/** The arrows of docs/architecture.md: the packages that each package may import. */
const ALLOWED: Record<string, readonly string[]> = {
  core: [],
  mail: ["core"],
  "mail-in": ["core", "mail"],
  node: ["core"],
  "adapter-contracts": ["core", "mail"],
  "adapter-memory": ["core", "mail"],
  "adapter-sqlite": ["core", "mail"],
  "adapter-dynamodb": ["core", "mail"],
  "adapter-postgres": ["core"],
  "adapter-ses": ["core", "mail", "mail-in"],
  "adapter-smtp": ["core", "mail"],
  "adapter-smtp-in": ["core", "mail", "mail-in"],
  "adapter-webhooks": ["core"],
  "adapter-http": ["core"],
  // The same API in another host: it needs no more than what an application that mounts the API has.
  "adapter-lambda": ["adapter-http"],
  archive: ["core"],
  "sign-in": [],
  client: [],
  cli: ["client", "sign-in"],
  web: ["client", "sign-in"],
  "test-support": [
    "core",
    "mail",
    "adapter-memory",
    "adapter-sqlite",
    "adapter-dynamodb",
    "adapter-postgres",
  ],
  server: [
    "core",
    "mail",
    "mail-in",
    "node",
    "archive",
    "adapter-memory",
    "adapter-sqlite",
    "adapter-dynamodb",
    "adapter-postgres",
    "adapter-ses",
    "adapter-smtp",
    "adapter-smtp-in",
    "adapter-webhooks",
    "adapter-http",
    "adapter-lambda",
  ],
  trial: ["core", "server"],
};

const ARCHITECTURE = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});

const packages = globSync("packages/*/package.json", { cwd: ROOT }).map((file) => ({
  name: basename(dirname(file)),
  manifest: Manifest.parse(JSON.parse(readFileSync(join(ROOT, file), "utf8"))),
}));

/** The sources of a package, by their paths in `src`. */
const sourcesOf = (name: string): ReadonlyMap<string, string> =>
  new Map(
    globSync("**/*.ts", { cwd: join(ROOT, "packages", name, "src") }).map((file) => [
      file,
      readFileSync(join(ROOT, "packages", name, "src", file), "utf8"),
    ]),
  );

const importsOf = (source: string): readonly string[] =>
  [
    ...source.matchAll(/^(?:import|export)[^;]*?from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm),
  ].map(([, from, bare, onDemand]) => from ?? bare ?? onDemand ?? "");

/** What the sources of a package import from others. */
const foreignImports = (name: string): readonly string[] =>
  [...sourcesOf(name).values()].flatMap(importsOf).filter((from) => !from.startsWith("."));

/** The sources of its own package that each source imports. */
const ownImports = (name: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...sourcesOf(name)].map(([file, source]) => [
      file,
      importsOf(source)
        .filter((from) => from.startsWith("."))
        .map((from) => join(dirname(file), from)),
    ]),
  );

/** A chain of imports that ends where it begins; null if there is none. */
const circleIn = (imports: ReadonlyMap<string, readonly string[]>): readonly string[] | null => {
  const done = new Set<string>();
  const follow = (file: string, chain: readonly string[]): readonly string[] | null => {
    if (chain.includes(file)) return [...chain.slice(chain.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of imports.get(file) ?? []) {
      const circle = follow(next, [...chain, file]);
      if (circle !== null) return circle;
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const circle = follow(file, []);
    if (circle !== null) return circle;
  }
  return null;
};

/** The folders and files that docs/architecture.md lists from the inside out, under this heading. */
const storeysOf = (heading: string): readonly string[] => {
  const [, section = ""] = ARCHITECTURE.split(`\n## ${heading}\n`);
  const [text = ""] = section.split("\n## ");
  return text
    .split("\n")
    .filter((line) => line.startsWith("- **`"))
    .flatMap((line) => [...line.matchAll(/\*\*`(.+?)\/?`\*\*/g)].map(([, name = ""]) => name));
};

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
    const imported = foreignImports(name)
      .filter((from) => !from.startsWith("node:"))
      .map((from) => from.split("/", from.startsWith("@") ? 2 : 1).join("/"));
    expect(imported.filter((from) => !declared.has(from))).toEqual([]);
  });

  test("has no circle of imports", () => {
    expect(circleIn(ownImports(name))).toBeNull();
  });
});

describe.each([
  ["core", "The core"],
  ["mail", "The mail plane"],
  ["server", "The server"],
])("%s", (name, heading) => {
  const storeys = storeysOf(heading);
  const storeyOf = (file: string): number => storeys.indexOf(file.split("/")[0] ?? "");

  test("docs/architecture.md lists every folder and file, from the inside out", () => {
    const entries = new Set([...sourcesOf(name).keys()].map((file) => file.split("/")[0]));
    expect(new Set(storeys)).toEqual(entries);
  });

  test("each imports only earlier ones", () => {
    const upwards = [...ownImports(name)].flatMap(([file, imported]) =>
      imported.filter((other) => storeyOf(other) > storeyOf(file)).map((other) => `${file} imports ${other}`),
    );
    expect(upwards).toEqual([]);
  });
});

test("in adapter-sqlite, the store and the spool share `file`, and import nothing of each other", () => {
  const partOf = (file: string) => file.split("/")[0] ?? "";
  const between = [...ownImports("adapter-sqlite")].flatMap(([file, imported]) =>
    imported
      .filter((other) => ![partOf(file), "file"].includes(partOf(other)))
      .map((other) => `${file} imports ${other}`),
  );
  expect(between.filter((line) => !line.startsWith("index.ts"))).toEqual([]);
});

describe("core", () => {
  const core = packages.find(({ name }) => name === "core");

  test("depends on neverthrow and zod only", () => {
    expect(Object.keys(core?.manifest.dependencies ?? {}).sort()).toEqual(["neverthrow", "zod"]);
  });

  test("uses no clock, no random numbers and no runtime APIs", () => {
    const sources = sourcesOf("core");
    expect(sources.size).toBeGreaterThan(20);
    for (const source of sources.values()) {
      expect(source).not.toMatch(/\bnew Date\b|\bDate[.(]|Math\.random|\bglobalThis\b|\bprocess\.|"node:/);
    }
  });
});

test("the server and its commands do not import each other", () => {
  const between = [...ownImports("server")].flatMap(([file, imported]) =>
    imported.map((other) => `${file.split("/")[0]} imports ${other.split("/")[0]}`),
  );
  expect(between).toEqual(expect.arrayContaining(["serve imports stores", "commands imports stores"]));
  expect(between).not.toContain("serve imports commands");
  expect(between).not.toContain("commands imports serve");
});

test("only one file uses the container", () => {
  const users = packages.flatMap(({ name }) =>
    [...sourcesOf(name)].flatMap(([file, source]) =>
      /from "inversify"/.test(source) ? [`${name}/${file}`] : [],
    ),
  );
  expect(users).toEqual(["server/serve/composition/compose.ts"]);
});
