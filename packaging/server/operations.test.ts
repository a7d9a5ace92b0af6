import { execFileSync } from "node:child_process";
import { chownSync, cpSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { block } from "../../scripts/document-blocks.ts";
import { checkout } from "./checkout.ts";
import { newOperator, succeeds } from "./operator.ts";
import { verifyUnit } from "./verify-unit.ts";

/*
 * An operator follows docs/operations.md and docs/sqlite.md. The tests run in order, on one machine.
 */

const { version } = inject("server");
const ENVIRONMENT_FILE = "/etc/postern/postern.env";

let operator: Awaited<ReturnType<typeof newOperator>>;
const run = (commands: string, variables: Record<string, string> = {}) =>
  succeeds(operator.machine, commands, operator.machine.root, variables);
const modeOf = (path: string) => statSync(operator.machine.path(path)).mode & 0o777;

beforeAll(async () => {
  operator = await newOperator();
});
afterAll(() => operator.stop());

test("installs the tarball", async () => {
  expect(await operator.install()).toBe(`postern-${version}.tgz: OK\n${version}\n`);
  expect(await run("postern-server --help")).toContain("POSTERN_ISSUER (required)");
});

test("a tarball with the wrong checksum is not installed", async () => {
  const { out } = inject("server");
  const folder = operator.machine.path("/opt/download");
  mkdirSync(folder);
  for (const file of [`postern-${version}.tgz`, `postern-${version}.tgz.sha256`])
    cpSync(join(out, file), join(folder, file));
  writeFileSync(join(folder, `postern-${version}.tgz`), "another");
  const commands = block("docs/operations.md", "Installing").replace(/^VERSION=.*/, `VERSION=${version}`);
  const { status, output } = await operator.machine.sh(commands, {}, folder);
  expect([status, output]).toEqual([1, `postern-${version}.tgz: FAILED\n`]);
});

test("without Node in the PATH, the server says what it needs", async () => {
  const { status, errors } = await operator.machine.sh(
    "PATH=/nowhere; /bin/sh /opt/postern/bin/postern-server",
  );
  expect(errors).toContain("postern-server needs Node 24 or later");
  expect(status).toBe(1);
});

test("installs the unit and the example environment file", async () => {
  await run(block("docs/operations.md", "Under systemd"));
  expect([modeOf("/etc/postern"), modeOf(ENVIRONMENT_FILE)]).toEqual([0o700, 0o600]);
  const started = await operator.machine.sh("systemctl start postern");
  expect(started.status).toBe(1);
  expect(started.errors).toContain("POSTERN_ISSUER is required");
});

test("the unit passes systemd's own checks", async () => {
  const unit = operator.machine.path("/etc/systemd/system/postern.service");
  const here = join(operator.machine.root, "postern.service");
  writeFileSync(here, operator.machine.path(readFileSync(unit, "utf8")));
  await verifyUnit(operator.machine, here);
  const exposure = /\(`systemd-analyze security`: (.+?)\)/.exec(
    readFileSync(join(checkout, "docs/operations.md"), "utf8"),
  )?.[1];
  const { output } = await operator.machine.sh(`systemd-analyze security --offline=true ${unit}`);
  expect(output.replace(", ", " ")).toContain(
    `Overall exposure level for postern.service: ${exposure?.replace(",", "")}`,
  );
});

test("serves once the required variables are set", async () => {
  operator.configure(ENVIRONMENT_FILE);
  await run("systemctl start postern");
  expect(operator.journal()).toContain("created a new, empty store at");
  expect(await operator.request("GET", "/health")).toEqual({ status: "ok" });
  await operator.createAlias("ada@example.org", "shop@alias.example.com");
  expect(await operator.aliases()).toEqual(["shop@alias.example.com"]);
});

test("doctor finds nothing wrong next to a running server", async () => {
  const report = await run(block("docs/operations.md", "Doctor"));
  expect(report).toMatch(/^ok +configuration +valid$/m);
  expect(report).toMatch(/^ok +store .*, in use by a running server$/m);
  expect(report).toMatch(/^ok +port +a healthy Postern is listening on /m);
});

test("finds reserved names with the documented command", async () => {
  await run("systemctl stop postern");
  const archive = await run("postern-server export");
  const reserved = archive.replaceAll(/^.*"kind":"alias".*\n/gm, (line) =>
    line.replaceAll("shop@", "postmaster@").replace(/"id":"[^"]+"/, '"id":"another"'),
  );
  writeFileSync(operator.machine.path("/opt/archive.jsonl"), reserved);
  await run("postern-server import --allow-reserved /opt/archive.jsonl");
  const found = await run(block("docs/operations.md", "Environment"));
  expect(found.trim().split("\n")).toHaveLength(1);
  expect(found).toContain('"email":"postmaster@alias.example.com"');
  await run("systemctl start postern");
  expect(await operator.aliases()).toHaveLength(2);
});

test("backs up a store in use, and restores it", async () => {
  await run(block("docs/sqlite.md", "Backup"));
  expect(modeOf("/backups/postern-2026-01-31.db")).toBe(0o600);
  const before = await operator.aliases();
  await operator.createAlias("grace@example.org", "later@alias.example.com");
  expect(await operator.aliases()).toHaveLength(3);
  await run(block("docs/sqlite.md", "Restore"));
  expect(await operator.aliases()).toEqual(before);
  expect(modeOf("/var/lib/postern/postern.db")).toBe(0o600);
});

test("gives a lock file that root owns to the owner of the store", async () => {
  const store = operator.machine.path("/var/lib/postern/postern.db");
  const lock = `${store}-lock`;
  // Only root can give a file to somebody else.
  if (process.getuid?.() === 0) chownSync(lock, 65_534, 65_534);
  await run(block("docs/operations.md", "When something is wrong"));
  expect(statSync(lock).uid).toBe(statSync(store).uid);
});

test("rebuilds the search index", async () => {
  await run("systemctl stop postern");
  await run(block("docs/sqlite.md", "Searches"));
  await run("systemctl start postern");
  expect(await operator.aliases()).toHaveLength(2);
});

test("rewrites the store to remove erased data", async () => {
  await run(block("docs/sqlite.md", "Erasing"));
  expect(await operator.aliases()).toHaveLength(2);
});

test("a program runs the server on a custom store", async () => {
  const program = operator.machine.path("/opt/custom.mjs");
  const memory = join(checkout, "packages/adapter-memory/src/index.ts");
  writeFileSync(
    program,
    `import { memoryStore } from "${memory}";\nconst store = memoryStore();\n${operator.machine.path(block("docs/operations.md", "A custom store"))}
const { status } = await fetch(started.value.url + "/health");
console.log(status);
await started.value.stop();
process.exit(0);`,
  );
  // The workspace's Node, because the store's package is TypeScript here.
  const output = execFileSync(process.execPath, [program], {
    env: { ...operator.variables, PORT: "0", POSTERN_LOG_LEVEL: "silent" },
    encoding: "utf8",
  });
  expect(output).toBe("200\n");
});

test("traces requests with an OpenTelemetry SDK", async () => {
  await run(block("docs/operations.md", "Traces"));
  writeFileSync(operator.machine.path("/opt/tracing/tracing.mjs"), block("docs/operations.md", "Traces", 1));
  await run("systemctl stop postern");
  const { machine, variables } = operator;
  const serving = machine.sh(
    `${block("docs/operations.md", "Traces", 2).trim()} > spans & echo $! > pid; wait`,
    variables,
  );
  const spans = () => readFileSync(join(machine.root, "spans"), "utf8");
  await expect.poll(spans).toContain('"msg":"serving"');
  await operator.aliases();
  await expect.poll(spans).toContain("name: 'GET /aliases'");
  expect(spans()).toContain("name: 'store aliases.list'");
  await run("kill $(cat pid)");
  await serving;
  await run("systemctl start postern");
});

test("upgrades by switching to another folder", async () => {
  const next = "999.0.0";
  const { machine } = operator;
  cpSync(machine.path(`/opt/postern-${version}`), join(machine.root, `postern-${next}`), { recursive: true });
  const manifest = join(machine.root, `postern-${next}`, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`"${version}"`, `"${next}"`));
  await run(
    `tar -czf postern-${next}.tgz postern-${next}; sha256sum postern-${next}.tgz > postern-${next}.tgz.sha256`,
  );
  renameSync(join(machine.root, `postern-${next}`), join(machine.root, "packed"));

  const NEW = `NEW=${next}`;
  const help = await run(block("docs/operations.md", "Updating").replace(/^NEW=.*/, NEW));
  expect(help).toContain("POSTERN_ISSUER (required)");
  expect(await run("postern-server --version")).toBe(`${version}\n`);
  await run(`${NEW}\n${block("docs/operations.md", "Updating", 1)}`);
  expect(await run("postern-server --version")).toBe(`${next}\n`);
  expect(await operator.aliases()).toHaveLength(2);
});

test("creates and changes aliases with commands, next to a running server", async () => {
  const lines = await run(block("docs/operations.md", "Without a client"));
  const [expected = ""] = block("docs/operations.md", "Without a client", 1).split("…");
  // The id of the alias is another one.
  const columns = expected.split("\t").slice(0, 3).join("\t");
  expect(lines.trim().split("\n").at(-1)).toContain(columns);
});
