import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { paths } from "./paths/paths.ts";
import { writeReport } from "./report/document.ts";
import { machineFacts } from "./report/machine.ts";
import { markdown } from "./report/markdown.ts";
import { QUICK, type Report, THOROUGH } from "./report/report.ts";
import type { Bench, Path } from "./support/path.ts";
import { AUDIENCE, startIssuer } from "./support/server.ts";

/*
 * Measures the paths that users wait for, each beside its baseline.
 *
 *     npx -y pnpm@12 bench [name…] [--rounds 7] [--seconds 2] [--quick] [--busy]
 *
 * Measures everything and writes docs/benchmarks.md, its chart and docs/benchmarks.json, unless something else is using the machine; with
 * names, measures only the paths of these names and prints the tables.
 */

/** With a higher load average before a run, something else is using the machine. */
const QUIET = 0.3;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    seconds: { type: "string" },
    quick: { type: "boolean", default: false },
    busy: { type: "boolean", default: false },
  },
});
const standard = options.quick ? QUICK : THOROUGH;
const effort = {
  ...standard,
  rounds: Number(options.rounds ?? standard.rounds),
  seconds: Number(options.seconds ?? standard.seconds),
};

const unknown = names.filter((name) => !paths.some((path) => path.name === name));
if (unknown.length > 0 || !(effort.rounds >= 1) || !(effort.seconds > 0)) {
  console.error(`Usage: pnpm bench [name…] [--rounds 7] [--seconds 2] [--quick] [--busy]
Names: ${paths.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

const load = loadavg()[0] ?? 0;
if (names.length === 0 && load >= QUIET && !options.busy) {
  console.error(`The load average is ${load.toFixed(2)}: something else is using the machine, and the figures would be its figures too.
Wait until it is below ${QUIET}, or measure anyway with --busy.`);
  process.exit(1);
}

const measure = async ({ name, about, run }: Path, bench: Bench): Promise<Report["paths"][number]> => {
  console.error(`${new Date().toISOString()} ${name}`);
  try {
    return { name, about, measured: await run(bench), failure: null };
  } catch (thrown) {
    console.error(thrown);
    process.exitCode = 1;
    return {
      name,
      about,
      measured: null,
      failure: thrown instanceof Error ? thrown.message : String(thrown),
    };
  }
};

const directory = mkdtempSync(join(tmpdir(), "postern-bench-"));
const issuer = await startIssuer();
const bench: Bench = {
  setup: {
    issuer: issuer.url,
    audience: AUDIENCE,
    // The limit is on, but never reached.
    perMinute: 100_000_000,
    fixture: { accounts: 0, aliases: 0, recipients: 0, attached: 0 },
    directory,
    database: "",
    dynamoDbEndpoint: "",
    store: "memory",
    accessLog: false,
    metrics: false,
  },
  token: issuer.token,
  effort,
};

try {
  const facts = machineFacts(directory);
  const measured: Report["paths"][number][] = [];
  for (const path of paths.filter(({ name }) => names.length === 0 || names.includes(name))) {
    measured.push(await measure(path, bench));
  }
  const date = new Date().toISOString().slice(0, 10);
  const report: Report = { date, effort, facts, paths: measured };
  console.log(markdown(report));
  if (names.length === 0) writeReport(report);
} finally {
  issuer.stop();
  rmSync(directory, { recursive: true });
}
