import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { sqliteStore } from "@postern/adapter-sqlite";
import { parseAccountId, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { uuids } from "@postern/node";
import { expect, test } from "vitest";
import { sharedStores, startAdministered } from "./support/administered.ts";
import { run } from "./support/run-command.ts";

const ALIAS_DOMAIN = "alias.example.com";

/** The number of aliases in each account that is going to be erased. */
const DOOMED_ALIASES = 150;

/** As many changes as clients make at least, in which hardly any request may fail. */
const MANY = 300;

const CLIENTS = ["client-0", "client-1", "client-2", "client-3"];

test("commands alongside a busy server on SQLite: hardly any request fails, and nothing is lost", async () => {
  const shared = await sharedStores.sqlite();
  const path = shared.variables["POSTERN_SQLITE_PATH"] ?? "";
  const recipientsOf = new Map<string, readonly string[]>();

  // Before the server starts: accounts with two recipients each, and many aliases in the accounts that are going to be erased.
  const store = valueOf(sqliteStore({ path, clock: Date }));
  const { ids: _, ...ports } = testPorts(Date.now());
  const service = postern({ store, aliasDomains: [ALIAS_DOMAIN], ...ports, ids: uuids });
  const doomed = ["doomed-0", "doomed-1"];
  for (const account of [...CLIENTS, ...doomed, "suspended"]) {
    const adopt = async (email: string) => valueOf(await service.adoptRecipient({ account, email })).id;
    const both = [await adopt("home@example.org"), await adopt("work@example.org")];
    recipientsOf.set(account, both);
    const aliases = doomed.includes(account) ? DOOMED_ALIASES : 1;
    for (let n = 0; n < aliases; n += 1) {
      valueOf(await service.createAlias({ account, recipientIds: both }));
    }
  }
  store.close();

  const { call, variables } = await startAdministered(shared);
  let running = true;
  /** How often each status was returned, by account. */
  const statuses = new Map<string, number>();
  const count = (account: string, status: number) =>
    statuses.set(`${account} ${status}`, (statuses.get(`${account} ${status}`) ?? 0) + 1);

  /** The last acknowledged recipients of each alias. */
  const acknowledged = new Map<
    string,
    { readonly account: string; readonly recipientIds: readonly string[] }
  >();

  const client = async (account: string) => {
    const [home = "", work = ""] = recipientsOf.get(account) ?? [];
    const lists = [[home], [work], [work, home]];
    for (let n = 0; running || acknowledged.size < MANY; n += 1) {
      const created = await call(account, "POST", "/aliases", { recipient_ids: [home] });
      count(account, created.status);
      if (created.status !== 201) continue;
      const id = String(created.body?.["alias_id"]);
      const recipientIds = lists[n % lists.length] ?? [];
      const replaced = await call(account, "PUT", `/aliases/${id}/recipients`, {
        recipient_ids: recipientIds,
      });
      count(account, replaced.status);
      if (replaced.status === 200) acknowledged.set(id, { account, recipientIds });
    }
  };
  /** The client of the account that is repeatedly suspended and resumed. */
  const patient = async () => {
    for (; running; await setTimeout(20))
      count("suspended", (await call("suspended", "GET", "/aliases")).status);
  };
  const load = Promise.all([...CLIENTS, ...CLIENTS].map(client).concat(patient()));

  const repeat = async (times: number, ...commands: (readonly string[])[]) => {
    for (let n = 0; n < times; n += 1) {
      for (const each of commands) expect(await run(variables, ...each)).toMatchObject({ status: 0 });
    }
  };
  try {
    await Promise.all([
      repeat(1, ["account", "erase", "--yes", "doomed-0"], ["account", "list"]),
      repeat(1, ["account", "erase", "--yes", "doomed-1"], ["account", "show", "client-0"]),
      repeat(5, ["account", "suspend", "suspended"], ["account", "resume", "suspended"]),
    ]);
  } finally {
    running = false;
    await load;
  }

  const expected = [...CLIENTS.flatMap((account) => [`${account} 201`, `${account} 200`])];
  const others = [...statuses.keys()].filter(
    (each) => !expected.includes(each) && !/^suspended (200|403)$|^\S+ 503$/.test(each),
  );
  expect(others).toEqual([]);
  // On a machine that is busy with other work, the server or a command may stall for as long as a request waits.
  const total = (of: RegExp) =>
    [...statuses].reduce((sum, [each, times]) => (of.test(each) ? sum + times : sum), 0);
  expect(total(/503$/)).toBeLessThan(total(/./) / 50);

  const opened = await shared.open();
  const check = postern({ store: opened, aliasDomains: [ALIAS_DOMAIN], ...testPorts(Date.now()) });
  for (const [aliasId, { account, recipientIds }] of acknowledged) {
    const alias = valueOf(await check.getAlias({ account, aliasId }));
    expect(alias.destinations.map(({ recipientId }) => recipientId)).toEqual(recipientIds);
  }
  for (const account of doomed.map((id) => valueOf(parseAccountId(id)))) {
    const page = { limit: 100, after: null };
    expect(valueOf(await opened.recipients.list(account, page)).items).toEqual([]);
    expect(valueOf(await opened.aliases.list(account, page, { deleted: false })).items).toEqual([]);
  }
  await opened.close();

  using db = new DatabaseSync(path);
  expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(db.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  const miscounted = db
    .prepare(`
      SELECT id FROM recipients AS r WHERE attached <>
        (SELECT count(*) FROM destinations AS d WHERE d.account = r.account AND d.recipient_id = r.id)`)
    .all();
  expect(miscounted).toEqual([]);
  expect(db.prepare("SELECT count(*) AS n FROM retired_addresses").get()).toEqual({
    n: doomed.length * DOOMED_ALIASES,
  });
});
