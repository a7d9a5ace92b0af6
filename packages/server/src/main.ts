import { parseArgs } from "node:util";
import { explain, explainFailure, help, version } from "./cli/messages.ts";
import type { Command } from "./commands/command.ts";
import { commands } from "./commands/commands.ts";
import { readCommandConfiguration, readConfiguration } from "./configuration/configuration.ts";
import { startServer } from "./start-server.ts";

const fail = (message: string) => {
  process.stderr.write(message);
  process.exitCode = 1;
};

const serve = async () => {
  const configuration = readConfiguration(process.env);
  if (configuration.isErr()) return fail(explain(configuration.error));

  const started = await startServer(configuration.value);
  if (started.isErr()) return fail(explainFailure(started.error));

  const stop = async () => {
    await started.value.stop();
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
};

const commandNamed = (name: string | undefined): Command | undefined =>
  name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;

const runCommand = async (name: string, args: readonly string[], flags: ReadonlySet<string>) => {
  const command = commandNamed(name);
  if (command === undefined) return fail(`Unknown command ${name}. --help lists all commands.\n`);
  const configuration = readCommandConfiguration(process.env);
  if (configuration.isErr()) return fail(explain(configuration.error));
  const done = await command.run(configuration.value, args, flags);
  if (done === null) return fail(`Usage: ${command.usage}\n`);
  if (done.isErr()) return fail(`${done.error}\n`);
  // Standard output is for what a command writes.
  process.stderr.write(`${done.value}\n`);
};

const general = { help: { type: "boolean" }, version: { type: "boolean" } } as const;
try {
  // The flags depend on the command, so the command is found first.
  const named = parseArgs({ options: general, allowPositionals: true, strict: false }).positionals[0];
  const flags = (commandNamed(named)?.flags ?? []).map((flag) => [flag, { type: "boolean" }] as const);
  const options = { ...Object.fromEntries(flags), ...general };
  const { values: requested, positionals } = parseArgs({ options, allowPositionals: true });
  const [command, ...args] = positionals;
  if (requested.help) process.stdout.write(help());
  else if (requested.version) process.stdout.write(`${version()}\n`);
  else if (command !== undefined) await runCommand(command, args, new Set(Object.keys(requested)));
  else await serve();
} catch (error) {
  if (!(error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")))
    throw error;
  fail(`${error.message}\n`);
}
