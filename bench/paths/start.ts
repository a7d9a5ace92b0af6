import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { atMost, rowOf } from "../report/row.ts";
import { median } from "../report/statistics.ts";
import { DOMAIN } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";
import { inRelease } from "../support/release.ts";

/** How long a program of Node runs, in seconds. */
const timeToEnd = async (...args: readonly string[]): Promise<number> => {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  return (performance.now() - start) / 1000;
};

/** How long it takes from the start of the server until it has answered a request, in seconds. */
const timeToAnswer = async (main: string, variables: Readonly<Record<string, string>>): Promise<number> => {
  const start = performance.now();
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env["PATH"], ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    ended.then(() => reject(new Error(`the server ended: ${output}`)));
  });
  const response = await fetch(`${url}/health`);
  const time = (performance.now() - start) / 1000;
  if (response.status !== 200) throw new Error(`/health responded ${response.status}`);
  await response.text();
  child.kill("SIGTERM");
  await ended;
  return time;
};

export const start: Path = {
  name: "start",
  about:
    "The built server, on an existing SQLite file: from the start of the process to its first response to GET /health; and --help",
  run: async ({ setup: { directory, issuer, audience }, effort: { rounds } }) => {
    const main = inRelease("main", directory);
    const variables = {
      PORT: "0",
      POSTERN_SQLITE_PATH: join(directory, "start.db"),
      POSTERN_ISSUER: issuer,
      POSTERN_AUDIENCE: audience,
      POSTERN_ALIAS_DOMAINS: DOMAIN,
      POSTERN_PUBLIC_URL: "https://postern.test",
      POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
      POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
      POSTERN_MAIL_FROM: "postern@postern.test",
    };
    const [answer, help, node]: [number[], number[], number[]] = [[], [], []];
    // The first round creates the file and fills the system's caches.
    for (let round = -1; round < rounds; round += 1) {
      const times = [
        await timeToAnswer(main, variables),
        await timeToEnd(main, "--help"),
        await timeToEnd("-e", ""),
      ] as const;
      if (round < 0) continue;
      answer.push(times[0]);
      help.push(times[1]);
      node.push(times[2]);
    }
    return {
      rows: [
        rowOf(
          { path: "start of the built server", what: "time to the first response", goal: atMost(0.35, "s") },
          answer,
        ),
        rowOf(
          { path: "--help of the built server", what: "time until it exits", goal: atMost(0.15, "s") },
          help,
        ),
      ],
      rounds: [],
      note: `Node itself, with nothing to do, exits after ${median(node).toFixed(3)} s.`,
    };
  },
};
