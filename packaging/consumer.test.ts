import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { run } from "./run.ts";

/** Package names, each with the version or tarball that npm installs. */
type Dependencies = Readonly<Record<string, string>>;

const packed = inject("packed");
const directory = mkdtempSync(join(tmpdir(), "postern-consumer-"));
afterAll(() => rmSync(directory, { recursive: true }));

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
