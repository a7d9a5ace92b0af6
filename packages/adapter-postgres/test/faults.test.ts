import { randomInt } from "node:crypto";
import { expectLinearizable, randomSchedules, runSchedule } from "@postern/adapter-contracts/linearizability";
import { NO_LIMITS, type PortResult, parseAccountId, parseEventId } from "@postern/core";
import { parseLedgerKey } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { until } from "@postern/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import {
  ACCOUNT,
  aliasNumber,
  announcementTo,
  apiKeyNumber,
  NOW,
  recipientNumber,
  replaced,
  webhookNumber,
} from "../../adapter-sqlite/test/support/samples.ts";
import { FAULTS, type Fault, faultProxy } from "./support/fault-proxy.ts";
import { stopTimers, TIMEOUT_MS, usePostgres, useStore } from "./support/use-postgres.ts";

const postgres = usePostgres();

/** A store behind a proxy, and one that bypasses it. */
const openWorld = async () => {
  const url = await postgres().newDatabase();
  const proxy = await faultProxy(postgres().port);
  onTestFinished(() => proxy.close());
  const direct = await useStore(url);
  const store = await useStore(url.replace(String(postgres().port), String(proxy.port)));
  return { url, proxy, direct, store };
};

const TABLES = [
  "account_usage",
  "addresses",
  "alias_words",
  "aliases",
  "announcements",
  "api_keys",
  "attachments",
  "events",
  "mail_ledger",
  "recipients",
  "suspensions",
  "tallies",
  "webhook_turns",
  "webhooks",
];

/** Every row of every table that the calls write to. */
const content = (url: string) => {
  const rows = TABLES.map((table) => `SELECT '${table}' AS "table", t::text AS row FROM ${table} AS t`);
  return postgres().sql(`${rows.join(" UNION ALL ")} ORDER BY 1, 2`, [], url);
};

test.for(FAULTS)(
  "after the fault “%s”, a write is unavailable, was applied as a whole or not at all, and was not sent again",
  async (fault: Fault) => {
    const { url, proxy, direct, store } = await openWorld();
    const [home, work, spare] = [recipientNumber(0), recipientNumber(1), recipientNumber(2)];
    for (const one of [home, work, spare]) valueOf(await direct.recipients.create(one, NO_LIMITS));
    const shop = aliasNumber(0, [home, work]);
    const old = aliasNumber(1, [home]);
    for (const one of [shop, old]) valueOf(await direct.aliases.create(one, NO_LIMITS));
    const event = { id: valueOf(parseEventId("event")), outcome: "sent", at: NOW } as const;
    const entry = {
      key: valueOf(parseLedgerKey("ledger-key-000001")),
      chargedAt: [NOW],
      suppressedAt: null,
      expiresAt: NOW + 1e12,
      version: 1,
    };
    const again = replaced(shop, [work]);
    const webhook = webhookNumber(0);
    const state = { failures: 0, failingSince: null, after: null };
    const apiKey = apiKeyNumber(0);
    const turn = { ...webhook, ...state, until: NOW + 1 };
    const writes: Readonly<Record<string, () => PortResult<unknown, { readonly code: string }>>> = {
      save: () => store.aliases.save(shop, again),
      create: () => store.aliases.create(aliasNumber(2, [spare]), NO_LIMITS),
      recordOutcome: () => store.aliases.recordOutcome(shop, event),
      erase: () => store.aliases.erase(old),
      retireAddress: () => store.aliases.retireAddress(aliasNumber(9, [home]).email),
      createAll: () =>
        store.createAll({
          recipients: [recipientNumber(4)],
          aliases: [aliasNumber(4, [recipientNumber(4)])],
          contacts: [],
          retiredAddresses: [aliasNumber(5, [home]).email],
        }),
      "recipients.create": () => store.recipients.create(recipientNumber(3), NO_LIMITS),
      "mailLedger.save": () => store.mailLedger.save([entry]),
      suspend: () => store.suspensions.suspend(ACCOUNT, NOW),
      "webhooks.create": () => store.webhooks.create(webhook),
      announce: () => store.outbox.announce([announcementTo(webhook, 1), announcementTo(webhook, 2)]),
      begin: () => store.outbox.begin({ now: NOW, until: turn.until, limit: 1 }),
      "outbox.remove": () => store.outbox.remove([announcementTo(webhook, 1)]),
      "apiKeys.create": () => store.apiKeys.create(apiKey),
      recordUse: () => store.apiKeys.recordUse(apiKey, { at: NOW, by: "program" }),
      "apiKeys.remove": () => store.apiKeys.remove(apiKey.account, apiKey.id),
      end: () => store.outbox.end(turn, { ...state, dueAt: NOW + 2 }),
    };
    const pass = stopTimers();
    for (const [name, write] of Object.entries(writes)) {
      const before = await content(url);
      const sent = proxy.met.length;
      proxy.follow(() => fault);
      const written = write();
      await until("the fault is met", () => proxy.met.length > sent);
      await proxy.settled();
      if (fault === "response late") await pass(TIMEOUT_MS);
      expect(failureOf<{ readonly code: string }>(await written), name).toMatchObject({
        code: "unavailable",
        cause: {
          reason: expect.stringMatching(
            /^(Connection terminated unexpectedly|ECONNRESET|no response before the deadline)$/,
          ),
        },
      });
      proxy.follow(() => null);
      expect(proxy.met.slice(sent), name).toEqual([fault]);
      const after = await content(url);
      if (fault === "request lost") {
        expect(after, name).toEqual(before);
        expect(await write(), name).toHaveProperty("value");
      } else {
        expect(after, name).not.toEqual(before);
      }
    }
    // Whatever was lost, it was applied once.
    expect(valueOf(await direct.aliases.recordOutcome(shop, event))).toBe("duplicate");
    const found = valueOf(
      await direct.aliases.findWithRecipients(ACCOUNT, shop.id, [home.id, work.id, spare.id]),
    );
    expect(found.alias).toEqual({ ...again, tallies: { ...shop.tallies, sent: { count: 1, lastAt: NOW } } });
    expect(new Map(found.recipients.map(({ id, attached }) => [id, attached]))).toEqual(
      new Map([
        [home.id, 0],
        [work.id, 1],
        [spare.id, 1],
      ]),
    );
  },
);

const HISTORIES = runsWhole(import.meta.url) ? 500 : 12;

test(
  "concurrent operations on two stores, with lost and late responses, are linearizable",
  async () => {
    const url = await postgres().newDatabase();
    const proxies = [await faultProxy(postgres().port), await faultProxy(postgres().port)] as const;
    for (const proxy of proxies) onTestFinished(() => proxy.close());
    const through = (index: 0 | 1) =>
      // A short time limit makes the outcome of many calls unknown, and the test quick.
      useStore(url.replace(String(postgres().port), String(proxies[index].port)), { timeoutMs: 400 });
    const stores = [await through(0), await through(1)] as const;
    const direct = await useStore(url);
    let [known, unknown] = [0, 0];
    /** Whether the histories contain everything that makes them worth checking. */
    const isComplete = () =>
      new Set(proxies.flatMap(({ met }) => met)).size === 1 + FAULTS.length && Math.min(known, unknown) > 0;
    for (let n = 0; n < HISTORIES || !isComplete(); n += 1) {
      const [schedule = expect.unreachable("there is one")] = randomSchedules(1);
      const account = valueOf(parseAccountId(`account-${n}`));
      const chance = [0, 0.1, 0.3][n % 3] ?? 0;
      for (const proxy of proxies) {
        proxy.follow(() => (Math.random() < chance ? (FAULTS[randomInt(FAULTS.length)] ?? null) : null));
      }
      const settled = async () => {
        for (const proxy of proxies) {
          proxy.follow(() => null);
          await proxy.settled();
        }
      };
      const history = await runSchedule(schedule, { account, stores, direct, settled });
      expectLinearizable(history);
      for (const { result } of history) {
        if (result === null) unknown += 1;
        else known += 1;
      }
    }
  },
  300_000 + HISTORIES * 2_000,
);
