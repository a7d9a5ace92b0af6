import { join } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { sqliteStore } from "@postern/adapter-sqlite";
import { ok, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { nodePorts } from "@postern/node";
import { measure } from "mitata";
import { fillSqlite } from "../support/fill-sqlite.ts";
import { fillStore } from "../support/fill-store.ts";
import { accountName, aliasAt, DOMAIN, recipientAt } from "../support/fixture.ts";
import { type Account, readAccount, type Times } from "./account.ts";

/*
 * The process that measures operations on one account, without HTTP: each message is answered with how long they take.
 */

/**
 * The operations use this many aliases in turn, spread over the account. The number is the same in every account, so that
 * how much of its data is in the processor's caches does not depend on how many aliases it has.
 */
const SPREAD = 100;

/** As many as the smallest account has. */
const PAGE = 100;

const { store: kind, aliases, attached, directory, seconds } = readAccount();
const fixture = { accounts: 1, aliases, recipients: attached * 2, attached };

const filledStore = async (store: Account["store"]) => {
  if (store === "memory") {
    const memory = memoryStore();
    await fillStore(memory, fixture);
    return memory;
  }
  const path = join(directory, `${aliases}-${attached}.db`);
  fillSqlite(path, fixture);
  return valueOf(sqliteStore({ path, clock: Date }));
};

const service = postern({
  store: await filledStore(kind),
  aliasDomains: [DOMAIN],
  verificationMail: { send: async () => ok() },
  ...nodePorts({ linkSecrets: ["0123456789abcdef0123456789abcdef"] }),
});

const account = accountName(0);
const ids = Array.from(
  { length: SPREAD },
  (_, n) => aliasAt(fixture, 0, Math.floor(((n + 0.5) * aliases) / SPREAD)).id,
);
/** Two lists with no recipient in common: each replacement changes something. */
const lists = [attached, 0].map((first) =>
  Array.from({ length: attached }, (_, n) => recipientAt(0, first + n).id),
);

let replaced = 0;
const replace = async () => {
  const aliasId = ids[replaced % SPREAD] ?? "";
  const turn = Math.floor(replaced / SPREAD);
  const recipientIds = lists[turn % 2] ?? [];
  replaced += 1;
  const { version } = valueOf(await service.replaceRecipients({ account, aliasId, recipientIds }));
  // Each turn has changed every alias once.
  if (version !== turn + 2) throw new Error(`version ${version} in turn ${turn}`);
};

/** Always the same page: it is as long, and as much of it is in the caches, in every account. */
const list = async () => {
  const { items } = valueOf(await service.listAliases({ account, limit: PAGE }));
  if (items.length !== PAGE) throw new Error(`${items.length} aliases on the page`);
};

/** In microseconds. */
const time = async (operation: () => Promise<void>): Promise<number> =>
  (await measure(operation, { min_cpu_time: seconds * 1e9 })).avg / 1000;

process.on("disconnect", () => process.exit());
process.on("message", async () => {
  const times: Times = { replace: await time(replace), list: await time(list) };
  process.send?.(times);
});
process.send?.("ready");
