import { parseArgs } from "node:util";
import type { Result } from "@postern/core";
import { argumentsFor, commandsNamed, flagsOf, type Usage } from "../commands/command.ts";
import { commands } from "../commands/commands.ts";
import {
  type ConfigurationProblem,
  readCommandConfiguration,
  readConfiguration,
} from "../configuration/configuration.ts";
import { readEnvironmentFile } from "../configuration/environment-file.ts";
import { ENV } from "../configuration/names.ts";
import { inTime, LATE } from "../system/in-time.ts";
import { systemCode } from "../system/system-code.ts";
import { version } from "../version.ts";
import {
  explain,
  explainDefect,
  explainFailure,
  explainOption,
  explainOutput,
  explainUsage,
  help,
  helpOf,
} from "./messages.ts";

/** How long startup may still take after a signal to stop the server, in milliseconds. */
const START_MS = 5_000;

/** The configuration is invalid (EX_CONFIG of sysexits.h). The unit does not start such a server again. */
const INVALID = 78;

const fail = (message: string, status = 1) => {
  process.stderr.write(message);
  process.exitCode = status;
};

/** A file that a variable names can still appear or change, as on a disk that is mounted late, so it is worth another start. */
const failBecauseOf = (problems: readonly ConfigurationProblem[]) =>
  fail(explain(problems), problems.every(({ inFile }) => inFile) ? 1 : INVALID);

const serve = async () => {
  const configuration = readConfiguration(process.env);
  if (configuration.isErr()) return failBecauseOf(configuration.error);

  // Commands need nothing from the server, and --help not even a store. Each command loads what only it needs.
  const starting = import("../serve/start-server.ts").then(({ startServer }) =>
    startServer(configuration.value),
  );
  // Signals can also arrive during startup. A startup failure is reported below, and only there.
  const running = starting.then(
    (started) => started.unwrapOr(undefined),
    () => undefined,
  );
  const stop = async (signal: NodeJS.Signals) => {
    // From now on, a signal has its default effect: it ends the process at once.
    process.off("SIGTERM", stop).off("SIGINT", stop);
    const server = await inTime(running, START_MS);
    if (server === undefined) return;
    // Nothing is lost. A startup that hangs must not keep the process from ending.
    if (server === LATE) return void process.kill(process.pid, signal);
    await server.stop(signal);
    process.exit(0);
  };
  const reload = async () => (await running)?.reload();
  process.on("SIGTERM", stop).on("SIGINT", stop).on("SIGHUP", reload);
  const started = await starting.catch((error: unknown) => {
    fail(explainDefect(error, process.env[ENV.logLevel]));
    // Nothing that startup left open may keep the process running.
    process.exit();
  });
  if (started.isErr()) fail(explainFailure(started.error));
};

/** Runs the command among those with this name that fits, or says how to use them. */
const runCommand = async (positionals: readonly string[], flags: ReadonlySet<string>) => {
  const named = commandsNamed(commands, positionals[0]);
  if (named.length === 0) return fail(`Unknown command ${positionals[0]}. --help lists all commands.\n`);
  for (const command of named) {
    const args = argumentsFor(command, positionals, flags);
    if (args === null) continue;
    if ("diagnose" in command) {
      return report(named, await writing(() => command.diagnose(process.env, args, flags)));
    }
    const configuration = readCommandConfiguration(process.env);
    if (configuration.isErr()) return failBecauseOf(configuration.error);
    return report(named, await writing(() => command.run(configuration.value, args, flags)));
  }
  fail(explainUsage(named));
};

const report = (usages: readonly Usage[], done: Result<string, string> | null | undefined) => {
  if (done === undefined) return;
  if (done === null) return fail(explainUsage(usages));
  if (done.isErr()) return fail(`${done.error}\n`);
  // Standard output is for what a command writes.
  process.stderr.write(`${done.value}\n`);
};

/** Runs work that writes to standard output. If writing fails, reports that, and the result is undefined. */
const writing = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  let failure: string | undefined;
  process.stdout.on("error", (error) => {
    failure ??= systemCode(error);
  });
  try {
    const done = await work();
    // The last writes may still be under way.
    await new Promise((resolve) => process.stdout.write("", resolve));
    if (failure === undefined) return done;
  } catch (error) {
    if (failure === undefined) throw error;
  }
  return void fail(explainOutput(failure));
};

const general = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
  "env-file": { type: "string" },
} as const;

const OWN_VARIABLES: ReadonlySet<string> = new Set(Object.values(ENV));

/** Node and libraries read some of their variables, such as NODE_EXTRA_CA_CERTS, only when a process starts. */
const isForStart = (name: string): boolean => !name.startsWith("POSTERN_") && !OWN_VARIABLES.has(name);

/** Adds what is in the environment file to the environment of this process. Returns whether it could. */
const useEnvironmentFile = (named: string | undefined): boolean => {
  const file = readEnvironmentFile(process.env, named);
  if (file.isErr()) {
    fail(file.error.message, file.error.code === "unclear" ? INVALID : 1);
    return false;
  }
  const { variables, notice } = file.value;
  Object.assign(process.env, variables);
  if (Object.keys(variables).some(isForStart)) {
    // Without the dashes, Node itself would read what follows --env-file.
    const args = [process.execPath, ...process.execArgv, "--", ...process.argv.slice(1)];
    process.execve?.(process.execPath, args, process.env);
  }
  process.stderr.write(notice);
  return true;
};

/** Runs the program with the arguments and the environment of the process. */
export const run = async () => {
  // The flags depend on the command, so the command is found first.
  const { positionals: words } = parseArgs({ options: general, allowPositionals: true, strict: false });
  const named = commandsNamed(commands, words[0]);
  try {
    const flags = named.flatMap(flagsOf).map((flag) => [flag, { type: "boolean" }] as const);
    const options = { ...Object.fromEntries(flags), ...general };
    const { values: requested, positionals } = parseArgs({ options, allowPositionals: true });
    if (requested.help)
      await writing(async () => process.stdout.write(named.length === 0 ? help() : helpOf(named)));
    else if (requested.version) await writing(async () => process.stdout.write(`${version()}\n`));
    else if (!useEnvironmentFile(requested["env-file"])) return;
    else if (positionals.length > 0) {
      await runCommand(positionals, new Set(Object.keys(requested).filter((name) => !(name in general))));
    } else await serve();
  } catch (error) {
    const misused =
      error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
    fail(misused ? explainOption(error, named) : explainDefect(error, process.env[ENV.logLevel]));
  }
};
