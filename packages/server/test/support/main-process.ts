import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { compiled, main } from "@postern/test-support/built-server";
import { afterAll, expect, onTestFinished } from "vitest";
import * as z from "zod";
import { environment } from "./environment.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { expectNoSecrets } from "./no-secrets.ts";

/** `environment` with an issuer that does not respond, so that no fetch of its keys fails, which would be logged. */
export const useSilentIssuer = async () => {
  const { issuer, stop } = await startIdentityProvider();
  afterAll(stop);
  return { ...environment, POSTERN_ISSUER: issuer };
};

/** Runs the server as an operator does, with these environment variables only. */
export const run = (variables: Record<string, string>, ...options: string[]) => {
  const server = spawn(process.execPath, [main, ...options], { env: { ...compiled, ...variables } });
  onTestFinished(() => void server.kill("SIGKILL"));
  return Object.assign(server, { variables, options });
};

export const ended = async (server: ReturnType<typeof run>) => {
  const [output, errors, [status, signal]] = await Promise.all([
    text(server.stdout),
    text(server.stderr),
    once(server, "exit"),
  ]);
  // Help contains examples of addresses.
  if (!server.options.includes("--help")) expectNoSecrets(output, server.variables);
  return { output, errors, status, signal };
};

const LogLine = z.looseObject({ msg: z.string(), url: z.string().optional() });

export const linesOf = (log: string) =>
  log
    .trim()
    .split("\n")
    .map((line) => LogLine.parse(JSON.parse(line)));

/** The address in the first line of the log. */
export const serving = async (server: ReturnType<typeof run>): Promise<string> => {
  const [chunk] = await Promise.race([
    once(server.stdout, "data"),
    once(server, "exit").then(([status, signal]) => expect.unreachable(`it ended with ${signal ?? status}`)),
  ]);
  const [first] = linesOf(String(chunk));
  expect(first?.msg).toBe("serving");
  return first?.url ?? expect.unreachable("the log does not contain the address");
};

/** What the server logs from its start until SIGTERM, as objects without the fields that every line has. */
export const lifetime = async (variables: Record<string, string>) => {
  const server = run(variables);
  const log: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    log.push(line);
    if (line.includes('"serving"')) server.kill("SIGTERM");
  }
  expectNoSecrets(log.join("\n"), variables);
  return log.map((line) => {
    const { time: _, pid: __, hostname: ___, ...rest } = LogLine.parse(JSON.parse(line));
    return rest;
  });
};
