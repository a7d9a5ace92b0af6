import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { Client, Pool, type QueryConfig } from "pg";
import { settingColumns } from "../packages/adapter-postgres/src/alias-row.ts";
import { namesOf } from "../packages/adapter-postgres/src/columns.ts";
import { parsePostgresUrl, postgresStore } from "../packages/adapter-postgres/src/index.ts";
import { type AliasId, ok, postern, type RecipientId, throwing } from "../packages/core/src/index.ts";
import { valueOf } from "../packages/core/src/testing/index.ts";
import { nodePorts } from "../packages/node/src/index.ts";
import { startPostgres } from "../packages/test-support/src/postgres.ts";

/*
 * How many replacements of an alias's recipients `postern` makes on the PostgreSQL store, compared to bare `pg`, which sends the
 * same statements and only parses JSON. PostgreSQL runs on this machine and flushes nothing, so this process's share of the work is
 * as large as it can be. Short rounds of both take turns, so that other work on the machine slows both; the ratio is the median of
 * the rounds' ratios.
 *
 *     node_modules/.bin/node bench/postgres.ts [--rounds 41] [--replacements 200]
 *
 * The goal: at least 0.8 of bare `pg`.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "41" },
    replacements: { type: "string", default: "200" },
  },
});
const ROUNDS = Number(options.rounds);
const REPLACEMENTS = Number(options.replacements);
const CONNECTIONS = 10;
const account = "account";

const postgres = await startPostgres();
const url = await postgres.newDatabase();
const store = valueOf(
  await postgresStore({
    url: valueOf(parsePostgresUrl(url)),
    clock: Date,
    connections: CONNECTIONS,
    timeoutMs: 60_000,
  }),
);
const service = throwing(
  postern({
    store,
    aliasDomains: ["alias.example"],
    verificationMail: { send: async () => ok() },
    ...nodePorts({ linkSecrets: ["a secret that is at least 32 bytes long"] }),
    timeoutMs: 60_000,
  }),
);
const pool = new Pool({ connectionString: url, max: CONNECTIONS });

const adopted = await Promise.all(
  [1, 2, 3, 4].map((n) => service.adoptRecipient({ account, email: `me-${n}@home.example` })),
);
const ids: readonly RecipientId[] = adopted.map(({ id }) => id);
/** In turn, so that each replacement changes something: one recipient attached, one detached. */
const lists = [ids.slice(0, 3), ids.slice(1)];
const aliases: readonly AliasId[] = await Promise.all(
  Array.from({ length: CONNECTIONS }, async (_, n) => {
    const email = `shop-${n}@alias.example`;
    return (await service.createAlias({ account, email, recipientIds: ids.slice(0, 3) })).id;
  }),
);
const turns = new Map<AliasId, number>(aliases.map((id) => [id, 0]));

const listFor = (id: AliasId): readonly RecipientId[] => {
  const turn = (turns.get(id) ?? 0) + 1;
  turns.set(id, turn);
  return lists[turn % 2] ?? [];
};

const withPostern = async (aliasId: AliasId): Promise<void> => {
  await service.replaceRecipients({ account, aliasId, recipientIds: [...listFor(aliasId)] });
};

type Query = QueryConfig<unknown[]> & { readonly values: unknown[] };

/** The statements of one replacement, as the store sends them. */
const recorded = async (aliasId: AliasId): Promise<readonly Query[]> => {
  const seen: Query[] = [];
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...args: Parameters<typeof query>) {
    const [config] = args as readonly unknown[];
    if (typeof config === "object" && config !== null && "name" in config) seen.push(config as Query);
    return query.apply(this, args);
  } as typeof query;
  await withPostern(aliasId);
  Client.prototype.query = query;
  return seen;
};

const [find, save, ...others] = await recorded(aliases[0] ?? ("" as AliasId));
if (find === undefined || save === undefined || others.length > 0) throw new Error("not two statements");

/** The values of the condition come first: account, id and version. */
const WHERE = 3;
const columns = namesOf(settingColumns);

type Stored = { readonly version: number };

/** Reads, decides and writes, like a program with nothing but `pg`. */
const withPg = async (aliasId: AliasId): Promise<void> => {
  const list = listFor(aliasId);
  const found = await pool.query({ ...find, values: [account, aliasId, list] });
  const alias: Stored = found.rows[0].alias;
  const recipients: readonly { readonly id: string; readonly email: string }[] = found.rows[0].recipients;
  const emails = new Map(recipients.map(({ id, email }) => [id, email]));
  const destinations = list.map((id) => ({ recipientId: id, email: emails.get(id) }));
  const changed: Readonly<Record<string, unknown>> = {
    destinations: JSON.stringify(destinations),
    updated_at: Date.now(),
    version: alias.version + 1,
  };
  const settings = columns.map((name, n) => changed[name] ?? save.values[WHERE + n]);
  const saved = await pool.query({ ...save, values: [account, aliasId, alias.version, ...settings] });
  if (saved.rowCount !== 1) throw new Error("a replacement was refused");
};

/** Replacements per second, by this many callers, each with an alias of its own. */
const rate = async (replace: (id: AliasId) => Promise<void>, callers: number): Promise<number> => {
  const start = performance.now();
  await Promise.all(
    aliases.slice(0, callers).map(async (id) => {
      for (let n = 0; n < REPLACEMENTS / callers; n += 1) await replace(id);
    }),
  );
  return REPLACEMENTS / ((performance.now() - start) / 1_000);
};

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

for (const callers of [1, CONNECTIONS]) {
  const rates: { readonly postern: number; readonly pg: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    // Each goes first in every other round.
    const first = round % 2 === 0 ? await rate(withPg, callers) : await rate(withPostern, callers);
    const second = round % 2 === 0 ? await rate(withPostern, callers) : await rate(withPg, callers);
    const measured = round % 2 === 0 ? { pg: first, postern: second } : { pg: second, postern: first };
    // The first round warms up.
    if (round > 0) rates.push(measured);
  }
  const [pg, ours] = [median(rates.map((each) => each.pg)), median(rates.map((each) => each.postern))];
  const ratio = median(rates.map((each) => each.postern / each.pg));
  process.stdout.write(
    `${String(callers).padStart(2)} callers: pg ${pg.toFixed(0)}/s, postern ${ours.toFixed(0)}/s, ratio ${ratio.toFixed(2)}\n`,
  );
}

await pool.end();
await store.close();
await postgres.stop();
