import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { block } from "../scripts/document-blocks.ts";
import { run } from "./run.ts";

/** Package names, each with the version or tarball that npm installs. */
type Dependencies = Readonly<Record<string, string>>;

const packed = inject("packed");
const directory = newDirectory();

/** The lowest version in a range such as `^1.2.3` or `>=1.2.3`. */
const lowest = (range: string): string => range.replace(/^(\^|>=)/, "");

const ours: Dependencies = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
const peers = packed.flatMap(({ manifest }) => Object.entries(manifest.peerDependencies));

/** What a consumer installs alongside our packages. No manifest declares the oldest TypeScript, so it is set here. */
const companions: Readonly<Record<"oldest" | "newest", Dependencies>> = {
  oldest: {
    ...Object.fromEntries(peers.map(([peer, range]) => [peer, lowest(range)])),
    typescript: "5.4.5",
    "@types/node": "22",
  },
  newest: { ...Object.fromEntries(peers), typescript: "latest", "@types/node": "latest" },
};

const CONSUMER = join(import.meta.dirname, "consumer");
const programs = globSync("*.ts", { cwd: CONSUMER }).sort();

/** The lowest Node on which every package that the program imports claims to run. */
const lowestNode = (program: string): string => {
  const text = readFileSync(join(CONSUMER, program), "utf8");
  return packed
    .filter(({ name }) => text.includes(`from "${name}`))
    .map(({ manifest }) => lowest(manifest.engines.node))
    .reduce((a, b) => (a.localeCompare(b, "en", { numeric: true }) > 0 ? a : b));
};

const install = async (name: string, dependencies: Dependencies): Promise<string> => {
  const folder = join(directory, name);
  mkdirSync(folder);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies }),
  );
  await run("npm", ["install", "--strict-peer-deps", "--no-audit", "--no-fund"], folder);
  return folder;
};

/** The paths of the lowest Nodes' executables, by version. */
const nodes = new Map<string, string>();

beforeAll(async () => {
  const versions = [...new Set(programs.map(lowestNode))];
  const folders = await Promise.all(versions.map((node) => install(`node-${node}`, { node })));
  for (const [index, version] of versions.entries()) {
    nodes.set(version, join(folders[index] ?? "", "node_modules/node/bin/node"));
  }
});

describe.each(["oldest", "newest"] as const)("with the %s peers and TypeScript", (age) => {
  let folder: string;

  beforeAll(async () => {
    folder = await install(age, { ...ours, ...companions[age] });
    cpSync(CONSUMER, folder, { recursive: true });
  });

  // Also writes the modules that the tests below run.
  test("type-checks without skipLibCheck", () =>
    run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."], folder));

  describe.each(programs)("%s", (program) => {
    const parameters = program.endsWith(".test.ts")
      ? ["node_modules/vitest/vitest.mjs", "run", program, "--testTimeout=60000"]
      : [`out/${basename(program, ".ts")}.js`];

    test(`runs on Node ${lowestNode(program)}`, () =>
      run(nodes.get(lowestNode(program)) ?? "", parameters, folder));

    test(`runs on Node ${process.versions.node}`, () => run(process.execPath, parameters, folder));
  });
});

test("the core and its testing ports load without fast-check, an optional peer", async () => {
  const { "@postern/core": core = "" } = ours;
  const folder = await install("core", { "@postern/core": core });
  const program = 'await import("@postern/core"); await import("@postern/core/testing");';
  await run(process.execPath, ["--input-type=module", "--eval", program], folder);
});

test("the README's command installs what the clone next to the project has packed, and the README's program runs", async () => {
  const beside = join(directory, "beside");
  mkdirSync(join(beside, "postern/out"), { recursive: true });
  const [{ tarball } = { tarball: "" }] = packed;
  symlinkSync(dirname(tarball), join(beside, "postern/out/packages"));
  const folder = join(beside, "project");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await run("sh", ["-euc", block("README.md", "Use it")], folder);
  writeFileSync(join(folder, "embed-core.ts"), block("README.md", "Use it", 1));
  await run(process.execPath, ["embed-core.ts"], folder);
});

/** The commands of the documents that install packages, each with the programs that follow it there. */
const installs = {
  "@postern/adapter-contracts": [
    block("packages/adapter-contracts/README.md", "@postern/adapter-contracts"),
    block("packages/adapter-contracts/README.md", "Use", 2),
  ],
  "@postern/adapter-dynamodb": [
    block("packages/adapter-dynamodb/README.md", "@postern/adapter-dynamodb"),
    block("packages/adapter-dynamodb/README.md", "@postern/adapter-dynamodb", 1),
  ],
  "@postern/adapter-http": [
    block("packages/adapter-http/README.md", "@postern/adapter-http"),
    block("packages/adapter-http/README.md", "Standalone"),
  ],
  "@postern/adapter-lambda": [
    block("packages/adapter-lambda/README.md", "@postern/adapter-lambda"),
    block("packages/adapter-lambda/README.md", "@postern/adapter-lambda", 1),
  ],
  "@postern/adapter-memory": [
    block("packages/adapter-memory/README.md", "@postern/adapter-memory"),
    block("packages/adapter-memory/README.md", "@postern/adapter-memory", 1),
  ],
  "@postern/adapter-postgres": [
    block("packages/adapter-postgres/README.md", "@postern/adapter-postgres"),
    block("packages/adapter-postgres/README.md", "@postern/adapter-postgres", 1),
  ],
  "@postern/adapter-sqlite": [
    block("packages/adapter-sqlite/README.md", "@postern/adapter-sqlite"),
    block("packages/adapter-sqlite/README.md", "@postern/adapter-sqlite", 1),
  ],
  "@postern/core": [
    block("packages/core/README.md", "@postern/core"),
    block("packages/core/README.md", "@postern/core", 1),
  ],
  "@postern/mail": [
    block("packages/mail/README.md", "@postern/mail"),
    block("packages/mail/README.md", "@postern/mail", 1),
  ],
} as const;

/** A command that installs our packages from the registry, with our tarballs, and those that they depend on, in their place. */
const withTarballs = (command: string): string =>
  packed.reduce((text, { name, tarball, manifest }) => {
    const needed = packed.filter((other) => Object.hasOwn(manifest.dependencies, other.name));
    const tarballs = [tarball, ...needed.map((other) => other.tarball)].join(" ");
    return text.replaceAll(new RegExp(`${name}(?=\\s)`, "g"), tarballs);
  }, command);

describe("the commands that install packages", () => {
  test.each(Object.entries(installs))(
    "%s: install what the programs after them import",
    (_, [command, program]) => {
      const installed = command.split(/\s+/);
      const imported = [...program.matchAll(/from "((?:@[^/"]+\/)?[^/":.]+)[/"]/g)].map(
        ([, name = ""]) => name,
      );
      expect(imported.length).toBeGreaterThan(0);
      expect(imported.filter((name) => !installed.includes(name))).toEqual([]);
    },
  );

  test("succeed", async () => {
    const folder = join(directory, "installs");
    mkdirSync(folder);
    // All packages in one command: separate commands would each resolve everything again.
    const names = Object.values(installs).flatMap(([command]) => command.trim().split(" ").slice(2));
    const commands = `${block("docs/write-an-adapter.md", "Install")}\nnpm install ${names.join(" ")}\n`;
    await run("sh", ["-euc", withTarballs(commands)], folder);
  });
});
