import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { compiled, main } from "@postern/test-support/built-server";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment, unlimited } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startMailbox } from "./support/mailbox.ts";
import { expectNoSecrets } from "./support/no-secrets.ts";

/** Each signals a little later. */
const ROUNDS = runsWhole(import.meta.url) ? [1, 2, 3] : [2];

const Line = z.object({
  msg: z.string(),
  url: z.string().optional(),
  requestId: z.string().optional(),
  connectionsCut: z.number().optional(),
});
const parse = (line: string) => Line.parse(JSON.parse(line));

/** The server as an operator runs it, logging every request. */
const start = async (variables: Record<string, string>) => {
  const server = spawn(process.execPath, [main], {
    env: { ...compiled, ...environment, ...unlimited, ...variables, POSTERN_ACCESS_LOG: "true" },
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [chunk] = await once(server.stdout, "data");
  const [first = ""] = String(chunk).split("\n");
  return {
    server,
    url: parse(first).url ?? expect.unreachable("the log does not contain the address"),
  };
};

type Outcome = { readonly id: string; readonly response: "complete" | "refused" | "none" | "broken" };

/** Every tenth request adds a recipient, which takes as long as sending its message. */
const addressOf = (id: string) => `${id}@example.com`;

/**
 * Sends one request, and returns whether its response was complete, broken off, or missing. On a busy machine it can be
 * refused (503), and not every refusal is logged.
 */
const send = (url: string, id: string, token: string, agent: Agent): Promise<Outcome> =>
  new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "x-request-id": id,
      "content-type": "application/json",
    };
    const [method, path] = id.endsWith("0") ? ["POST", "/recipients"] : ["GET", "/aliases"];
    const call = request(url + path, { method, headers, agent }, async (response) => {
      const body = await text(response).catch(() => "");
      const length = Number(response.headers["content-length"]);
      const complete = response.complete && Buffer.byteLength(body) === length;
      if (!complete) return resolve({ id, response: "broken" });
      resolve({ id, response: response.statusCode === 503 ? "refused" : "complete" });
    });
    call.on("error", () => resolve({ id, response: "none" }));
    call.end(method === "POST" ? JSON.stringify({ recipient_email: addressOf(id) }) : undefined);
  });

test.each(ROUNDS)(
  "SIGTERM under load breaks no response and ends the server with status 0 (round %d)",
  async (round) => {
    const provider = await startIdentityProvider();
    provider.release();
    onTestFinished(provider.stop);
    const mailbox = await startMailbox(50);
    onTestFinished(mailbox.stop);
    const { server, url } = await start({
      POSTERN_ISSUER: provider.issuer,
      POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
    });
    const log = text(server.stdout);
    const errors = text(server.stderr);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    // A client that connects and never sends anything.
    const silent = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    onTestFinished(() => void silent.destroy());

    const outcomes: Outcome[] = [];
    const client = async (name: number) => {
      for (let i = 0; ; i += 1) {
        const outcome = await send(url, `${name}-${i}`, provider.token, agent);
        outcomes.push(outcome);
        if (outcome.response === "none" || outcome.response === "broken") return;
      }
    };
    const clients = Promise.all(Array.from({ length: 64 }, (_, name) => client(name)));
    await expect.poll(() => outcomes.length).toBeGreaterThan(500);
    await setTimeout(round * 7);

    const exit = once(server, "exit");
    server.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
    await clients;
    expectNoSecrets(await log, environment);
    const lines = (await log).trim().split("\n").map(parse);
    // It has waited for no connection as long as it could.
    expect(lines.at(-1)).toEqual({ msg: "stopped" });

    const ids = (response: Outcome["response"]) =>
      outcomes.filter((outcome) => outcome.response === response).map(({ id }) => id);
    expect(ids("broken")).toEqual([]);
    // Each client got no response exactly once, to a request that the server had not read.
    const read = new Set(lines.map(({ requestId }) => requestId));
    expect(ids("none")).toHaveLength(64);
    expect(ids("none").filter((id) => read.has(id))).toEqual([]);
    expect(ids("complete").filter((id) => !read.has(id))).toEqual([]);
    const complete = new Set(ids("complete").map(addressOf));
    const mailed = mailbox.messages.map(({ to }) => to?.[0]?.address ?? "");
    expect(mailed.length).toBeGreaterThan(10);
    expect(mailed.filter((address) => !complete.has(address))).toEqual([]);
    expect(await errors).toBe("");
  },
);
