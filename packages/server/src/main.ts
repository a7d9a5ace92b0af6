import { parseArgs } from "node:util";
import { explain, explainCannotListen, help, version } from "./command-line.ts";
import { readConfiguration } from "./configuration.ts";
import { startServer } from "./start-server.ts";

const fail = (message: string) => {
  process.stderr.write(message);
  process.exitCode = 1;
};

const serve = async () => {
  const configuration = readConfiguration(process.env);
  if (configuration.isErr()) return fail(explain(configuration.error));

  const started = await startServer(configuration.value);
  if (started.isErr()) return fail(explainCannotListen(started.error));

  const stop = async () => {
    await started.value.stop();
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
};

const options = { help: { type: "boolean" }, version: { type: "boolean" } } as const;
try {
  const { values: asked } = parseArgs({ options });
  if (asked.help) process.stdout.write(help());
  else if (asked.version) process.stdout.write(`${version()}\n`);
  else await serve();
} catch (error) {
  if (!(error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")))
    throw error;
  fail(`${error.message}\n`);
}
