import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { packPackages } from "../../scripts/packages.ts";
import { atMost, rowOf } from "../report/row.ts";
import { median } from "../report/statistics.ts";
import type { Path } from "../support/path.ts";

const MODULES = fileURLToPath(new URL("../../packages/cli/node_modules/", import.meta.url));

/** Has Node write how much CPU time it has used, in milliseconds, when it ends. */
const REPORT = `data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.error((user+system)/1000)})`;

/** The CPU time of a program of Node, in milliseconds. */
const cpuTime = async (...args: readonly string[]): Promise<number> => {
  const child = spawn(process.execPath, ["--import", REPORT, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`);
  return Number(errors);
};

/** The program as users get it, with what it depends on. Run from its sources, Node would have to strip the types. */
const installed = (directory: string): string => {
  const modules = join(directory, "command-line/node_modules");
  for (const { name, path } of packPackages(join(directory, "packages"))) {
    if (!["@postern/cli", "@postern/client", "@postern/sign-in"].includes(name)) continue;
    const folder = join(modules, name);
    mkdirSync(folder, { recursive: true });
    execFileSync("tar", ["-xzf", path, "-C", folder, "--strip-components", "1"]);
  }
  for (const name of [
    "@bomb.sh/tab",
    "@clack/prompts",
    "@commander-js/extra-typings",
    "commander",
    "fast-string-truncated-width",
  ]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(MODULES, name), join(modules, name));
  }
  return join(modules, "@postern/cli/dist/main.js");
};

export const commandLine: Path = {
  name: "command-line",
  about: "CPU time of the packed command line, beyond that of Node: for --help, and for a request",
  run: async ({ setup: { directory }, effort: { rounds } }) => {
    const main = installed(directory);
    const server = createServer((_, response) =>
      response.setHeader("content-type", "application/json").end('{"status":"ok"}'),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const fetching = `const response = await fetch("${url}/health"); await response.text();`;

    const [help, request, node]: [number[], number[], number[]] = [[], [], []];
    // The first round fills the system's caches. A round takes a fraction of a second, and its figures vary.
    for (let round = -1; round < 5 * rounds; round += 1) {
      const nothing = await cpuTime("-e", "");
      const times = [
        (await cpuTime(main, "--help")) - nothing,
        (await cpuTime(main, "health", "--url", url)) -
          (await cpuTime("--input-type=module", "-e", fetching)),
        nothing,
      ] as const;
      if (round < 0) continue;
      help.push(times[0]);
      request.push(times[1]);
      node.push(times[2]);
    }
    server.close();
    server.closeAllConnections();
    const goal = atMost(60, "ms");
    return {
      rows: [
        rowOf(
          { path: "postern --help", what: "CPU time, beyond that of Node with nothing to do", goal },
          help,
        ),
        rowOf(
          { path: "postern health", what: "CPU time, beyond that of Node that sends the same request", goal },
          request,
        ),
      ],
      rounds: [],
      note: `Node itself, with nothing to do, takes ${median(node).toFixed(0)} ms.`,
    };
  },
};
