import { writeSync } from "node:fs";
import { readConfiguration, startServer } from "../../src/index.ts";
import { environment } from "./environment.ts";

/* Starts a server if the argument is `server`, and allocates objects that live long on one line. Run with V8's trace of its decisions. */

const [, , what] = process.argv;
if (what === "server") {
  const configuration = readConfiguration(environment);
  if (configuration.isErr() || (await startServer(configuration.value)).isErr()) throw new Error("no server");
}
const kept: object[] = [];
for (let n = 0; n < 300_000; n += 1) kept.push([n, {}]);
writeSync(1, `${kept.length} objects\n`);
process.exit();
