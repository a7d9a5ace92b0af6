import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sqliteStore } from "../packages/adapter-sqlite/src/index.ts";
import {
  Alias,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
} from "../packages/core/src/index.ts";
import { valueOf } from "../packages/core/src/testing/index.ts";
import { DOMAIN, leaveServerAlone, startIssuer, startServer } from "./support/server.ts";

/*
 * How long one account's requests take while another account sends the most expensive requests possible, on as many
 * connections as it may use. The server is the real one, on a SQLite file, without a rate limit. The two accounts are two
 * other processes. Where `taskset` exists, the server has one core, and they have the others.
 *
 *     node_modules/.bin/node bench/noisy-neighbor.ts [--connections 64] [--seconds 10] [--only search]
 *
 * The goal: whatever one account stores and requests, another account's p99 stays at 50 ms or less.
 */

const { values: options } = parseArgs({
  options: {
    connections: { type: "string", default: "64" },
    seconds: { type: "string", default: "10" },
    only: { type: "string", default: "" },
    client: { type: "string" },
  },
});
const SECONDS = Number(options.seconds);

type Call = { readonly method: string; readonly path: string; readonly body?: object };
type Client = {
  readonly url: string;
  readonly token: string;
  readonly calls: readonly Call[];
  readonly connections: number;
  /** How long a connection waits between two requests, in milliseconds. */
  readonly rest: number;
};
type Measured = { readonly statuses: Readonly<Record<string, number>>; readonly times: readonly number[] };

/* A client: a process that sends its calls until time is up. */

const send = ({ url, token }: Client, agent: Agent, { method, path, body }: Call): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    request(url + path, { agent, method, headers }, (response) => {
      response
        .resume()
        .once("end", () => resolve(response.statusCode ?? 0))
        .once("error", reject);
    })
      .once("error", reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });

const runClient = async (client: Client): Promise<Measured> => {
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1_000;
  const work = async (first: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = first; performance.now() < end; n += 1) {
      const call = client.calls[n % client.calls.length];
      if (call === undefined) break;
      const start = performance.now();
      const status = await send(client, agent, call).catch(() => 0);
      times.push(performance.now() - start);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (client.rest > 0) await setTimeout(client.rest);
      // Waits after a refused request; otherwise this process would only spin.
      else if (status >= 400 || status === 0) await setTimeout(5);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: client.connections }, (_, n) => work(n)));
  return { statuses, times };
};

/* What the accounts have stored. */

const NOW = Date.now();
const pad = (n: number) => String(n).padStart(6, "0");

const recipientOf = (account: string, n: number, email: string): Recipient => ({
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId(`recipient-${pad(n)}`)),
      account: valueOf(parseAccountId(account)),
      email: valueOf(parseEmailAddress(email)),
      nonce: "nonce",
    },
    NOW,
  ),
  verifiedAt: NOW,
});

/** `description` is stored unchecked: current rules may refuse what earlier versions stored. */
const aliasOf = (account: string, n: number, recipients: readonly Recipient[], description: string): Alias =>
  valueOf(
    Alias.create(
      {
        id: valueOf(parseAliasId(`alias-${pad(n)}`)),
        account: valueOf(parseAccountId(account)),
        email: valueOf(parseEmailAddress(`${account}-${n}@${DOMAIN}`)),
        description,
      },
      valueOf(parseRecipientIds(recipients.map(({ id }) => id))),
      recipients,
      NOW,
    ),
  );

const ENDING = " z1 z2 z3 z4 z5 z6 z7";
const upTo = (length: number, text: string) => text.repeat(length).slice(0, length - ENDING.length) + ENDING;
const MARKS = `${"\u0345".repeat(240)}${"\u0334".repeat(239)}`;

const LONG = `${"a".repeat(40)}@${"example-of-a-long-name.".repeat(7)}org`;

const filled = (account: string, count: number, description: string, recipients = 1) => ({
  account,
  count,
  description,
  recipients,
});
const ACCOUNTS = [
  filled("victim", 20, "Newsletter"),
  filled("unfolding", 2_000, upTo(500, "\uFDFA")),
  filled("marks", 2_000, `${MARKS}${ENDING}`),
  filled("words", 2_000, upTo(500, "a ")),
  filled("wide", 200, upTo(500, "a "), 40),
];

const populate = async (path: string) => {
  const store = valueOf(sqliteStore({ path, clock: { now: () => NOW } }));
  for (const { account, count, description, recipients } of ACCOUNTS) {
    const own = Array.from({ length: recipients * 2 }, (_, n) => recipientOf(account, n, `${n}${LONG}`));
    for (const recipient of own) valueOf(await store.recipients.create(recipient, NO_LIMITS));
    for (let n = 0; n < count; n += 1) {
      valueOf(
        await store.aliases.create(aliasOf(account, n, own.slice(0, recipients), description), NO_LIMITS),
      );
    }
  }
  await store.close();
};

/* The attacks, and what they do to the victim. */

const get = (path: string): Call => ({ method: "GET", path });
const search = (q: string) => get(`/aliases?limit=100&q=${encodeURIComponent(q)}`);
/** All of these words but the last are at the very end of each description, which does not contain the last. */
const EIGHT_WORDS = `${ENDING.trim()} y`;

const swapOf = (first: number): Call => ({
  method: "PUT",
  path: "/aliases/alias-000000/recipients",
  body: { recipient_ids: Array.from({ length: 40 }, (_, n) => `recipient-${pad(first + n)}`) },
});

const ATTACKS = [
  { name: "search, 49 words, U+FDFA", account: "unfolding", calls: [search(`${"z7 ".repeat(32)}y`)] },
  { name: "search, 8 words, U+FDFA", account: "unfolding", calls: [search(EIGHT_WORDS)] },
  { name: "search, 8 words, combining marks", account: "marks", calls: [search(EIGHT_WORDS)] },
  { name: "search, 8 words, 250 words", account: "words", calls: [search(EIGHT_WORDS)] },
  { name: "search that finds all, 40 recipients", account: "wide", calls: [search("z1")] },
  { name: "list of 100, 40 recipients", account: "wide", calls: [get("/aliases?limit=100")] },
  { name: "swap 40 recipients", account: "wide", calls: [swapOf(0), swapOf(40)] },
];
const VICTIM = [get("/aliases/alias-000003"), get("/aliases?limit=20"), search("news"), get("/recipients")];

/** Otherwise the victim's client would wait for the attacker's, and that time would be measured as the server's. */
const takePrecedence = ({ pid = 0 }: ChildProcess) => {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    console.log(
      "without the right to set priorities: the times include those in which the clients have to share a core",
    );
  }
};

const measure = async (client: Client): Promise<Measured> => {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [
    ...["--client", JSON.stringify(client), "--seconds", options.seconds],
  ]);
  leaveServerAlone(child);
  if (client.rest > 0) takePrecedence(child);
  const [measured] = await once(child, "message");
  return measured as Measured;
};

const ms = (time: number | undefined) => (time === undefined ? "-" : time.toFixed(1)).padStart(9);
const percentile = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];

const bench = async () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-bench-"));
  const issuer = await startIssuer();
  try {
    const path = join(directory, "postern.db");
    await populate(path);
    const { url, pinned, stop } = await startServer({
      POSTERN_SQLITE_PATH: path,
      POSTERN_ISSUER: issuer.url,
    });
    const victim = { url, token: issuer.token("victim"), calls: VICTIM, connections: 2, rest: 5 };
    const row = (name: string, alone: number | undefined, { times, statuses }: Measured, other: string) =>
      console.log(
        `${name.padEnd(38)}${ms(alone)}${ms(percentile(times, 0.5))}${ms(percentile(times, 0.99))}${ms(Math.max(...times))}` +
          `   ${JSON.stringify(statuses)}   ${other}`,
      );
    console.log(`${options.connections} connections, ${pinned ? "one core" : "not pinned"}; milliseconds`);
    console.log(
      `${"attack".padEnd(38)}    alone      p50      p99      max   of the victim; and the attacker's`,
    );
    try {
      await measure(victim);
      row("none", undefined, await measure(victim), "");
      for (const { name, account, calls } of ATTACKS.filter(({ name }) => name.includes(options.only))) {
        const attacker = { url, token: issuer.token(account), calls, rest: 0 };
        const agent = new Agent();
        const alone: number[] = [];
        for (let n = 0; n < 5; n += 1) {
          const start = performance.now();
          await send({ ...attacker, connections: 1 }, agent, calls[n % calls.length] ?? get("/"));
          alone.push(performance.now() - start);
        }
        const attacking = measure({ ...attacker, connections: Number(options.connections) });
        const suffering = await measure(victim);
        row(name, percentile(alone, 0.5), suffering, JSON.stringify((await attacking).statuses));
      }
    } finally {
      await stop();
    }
  } finally {
    issuer.stop();
    rmSync(directory, { recursive: true });
  }
};

if (options.client === undefined) await bench();
else {
  const client: Client = JSON.parse(options.client);
  process.send?.(await runClient(client));
  process.disconnect?.();
}
