import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { contract, type OpenStore } from "@postern/adapter-contracts";
import { testStore } from "@postern/adapter-contracts/vitest";
import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hangingStore } from "./support/broken-stores/failures.ts";
import { brokenStores } from "./support/broken-stores/index.ts";
import { countingStore } from "./support/counting-store.ts";
import { countingWebhooks } from "./support/counting-webhooks.ts";
import { failuresOf } from "./support/failures-of.ts";
import { intercepted } from "./support/intercepted.ts";
import { FACTS, NETWORK_PACES, PACES } from "./support/plain-store/facts.ts";
import { plainStore } from "./support/plain-store/index.ts";
import { scanningStore } from "./support/scanning-store.ts";

const opening =
  (open: () => Store & { close?(): Promise<void> }): OpenStore =>
  async () => {
    const store = open();
    return { store, close: async () => store.close?.() };
  };

const failureOf = failuresOf(contract);

const REJECTED = "ports never reject";

describe("the contract", () => {
  test("gives each check its own name", () => {
    expect(new Set(contract.map(({ name }) => name)).size).toBe(contract.length);
  });

  test("has a broken store for each check", () => {
    const noticing = new Set([
      ...brokenStores.flatMap(({ noticedBy }) => noticedBy),
      ...FACTS.flatMap(({ noticedBy }) => noticedBy),
    ]);
    expect(contract.map(({ name }) => name).filter((name) => !noticing.has(name))).toEqual([]);
  });

  for (const [store, open] of [
    ["a store that returns short and empty pages", scanningStore],
    ["a store that keeps everything in plain lists", () => plainStore()],
    ["a store that keeps counters", () => countingStore({}, countingWebhooks())],
  ] as const) {
    testStore(`passes ${store}`, opening(open));
  }

  test.for([
    ["passes", "ping succeeds while the store is open", memoryStore()],
    ["fails", "ping succeeds while the store is open", { ...memoryStore(), ping: () => Promise.reject() }],
    ["closes it", "once the store is closed, every port resolves to ok or unavailable", memoryStore()],
  ] as const)("opens one store and closes it once in a check that %s", async ([, name, store]) => {
    const close = vi.fn(async () => {});
    const open = vi.fn(async () => ({ store, close }));
    await failureOf(name, open);
    expect(open).toHaveBeenCalledOnce();
    expect(close).toHaveBeenCalledOnce();
  });

  test("reports a store that cannot be closed", async () => {
    const open = async () => ({
      store: memoryStore(),
      close: () => Promise.reject(new Error("cannot close")),
    });
    expect(await failureOf("ping succeeds while the store is open", open)).toBe("cannot close");
  });
});

describe("a store that lacks parts", () => {
  const before = fc.readConfigureGlobal();
  // What is checked is proved elsewhere, with all parts.
  beforeAll(() => fc.configureGlobal({ ...before, numRuns: 3 }));
  afterAll(() => fc.configureGlobal(before));

  /** A store with nothing but what every store has, and these of its ports. */
  const storeWith = (ports: readonly (keyof Store)[]) => {
    const { aliases, recipients, mailLedger, creations, ping, ...others } = memoryStore();
    const own = Object.entries(others).filter(([name]) => ports.some((port) => port === name));
    return { aliases, recipients, mailLedger, creations, ping, ...Object.fromEntries(own) };
  };

  const PARTS = {
    contacts: ["contacts"],
    blockedSenders: ["blockedSenders"],
    messages: ["messageLog", "resends"],
    handedReports: ["handedReports"],
    webhooks: ["webhooks", "outbox"],
    apiKeys: ["apiKeys"],
    suspensions: ["suspensions"],
    accounts: ["accounts"],
  } as const;

  test.each([["nothing else", []], ...Object.entries(PARTS)])(
    "passes with %s, and is not asked for the others",
    async (part, ports) => {
      const skipped = new Set<string>();
      const open = async () => ({ store: storeWith(ports), close: async () => {} });
      for (const { run } of contract) await run(open, (reason) => skipped.add(reason));
      for (const other of Object.keys(PARTS)) {
        expect(skipped.has(`the store lacks ${other}`)).toBe(other !== part);
      }
    },
  );

  test("fails with half of a part", async () => {
    const open = async () => ({ store: storeWith(["messageLog"]), close: async () => {} });
    expect(await failureOf("ping succeeds while the store is open", open)).toBe(
      "the store has half of a part: see `StoreParts`",
    );
  });
});

/**
 * Random sequences are the same every time and end after the same number of steps, so that what they find once they always find. Nobody
 * reads which one a broken store fails with, so it need not be the shortest one.
 */
const useSameSequences = () => {
  const before = fc.readConfigureGlobal();
  beforeAll(() => fc.configureGlobal({ seed: 2, endOnFailure: true }));
  afterAll(() => fc.configureGlobal(before));
};

describe("the contract notices", () => {
  useSameSequences();

  test.for(brokenStores)("$flaw", async ({ noticedBy, says, open }) => {
    for (const name of noticedBy) {
      const failure = await failureOf(name, opening(open));
      expect(failure, name).toBeDefined();
      if (says === undefined) expect(failure).not.toContain(REJECTED);
      else expect(failure).toContain(says);
    }
  });

  test.for(FACTS)("reading too early: $fact", async ({ fact, noticedBy }) => {
    for (const name of noticedBy) {
      for (const [description, pace] of Object.entries(PACES)) {
        const failure = await failureOf(
          name,
          opening(() => plainStore({ early: fact, pace })),
        );
        expect(failure, `${name} (${description})`).toBeDefined();
        expect(failure).not.toContain(REJECTED);
      }
    }
  });

  test.for(FACTS.filter(({ fact }) => /eligibility|attachment/.test(fact)))(
    "reading a round trip too early: $fact",
    async ({ fact, noticedBy: [name = ""] }) => {
      for (const [description, pace] of Object.entries(NETWORK_PACES)) {
        const failure = await failureOf(
          name,
          opening(() => plainStore({ early: fact, pace })),
        );
        expect(failure, description).toContain("both calls succeeded");
      }
    },
  );

  test("ports that never settle once the store is closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const failure = failureOf(
        "once the store is closed, every port resolves to ok or unavailable",
        opening(hangingStore),
      );
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await failure).toBe("aliases.findWithRecipients has not settled after 60 s");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the model", () => {
  useSameSequences();

  test("reaches every port, with success and with each failure that matters", async () => {
    const results = new Map<string, number>();
    const store = () =>
      intercepted(async (port, call) => {
        const result = await call();
        const value = result.isOk()
          ? typeof result.value === "string"
            ? result.value
            : "ok"
          : result.error.code;
        results.set(`${port}: ${value}`, (results.get(`${port}: ${value}`) ?? 0) + 1);
        return result;
      });
    const name = "after every step of a random sequence of operations, the store matches a plain model";
    expect(await failureOf(name, opening(store))).toBeUndefined();
    const rare = [
      "aliases.create: ok",
      "aliases.create: address_taken",
      "aliases.create: too_many_aliases",
      "aliases.create: already_created",
      "aliases.save: ok",
      "aliases.erase: ok",
      "aliases.findByEmail: ok",
      "aliases.recordOutcome: recorded",
      "aliases.recordOutcome: duplicate",
      "aliases.recordOutcome: alias_not_found",
      "recipients.create: ok",
      "recipients.create: address_taken",
      "recipients.create: too_many_recipients",
      "recipients.create: too_many_unverified_recipients",
      "recipients.save: ok",
      "recipients.remove: ok",
      "contacts.record: ok",
      "contacts.find: ok",
      "contacts.findByEmails: ok",
      "contacts.list: ok",
      "contacts.save: ok",
      "blockedSenders.block: ok",
      "blockedSenders.block: too_many_blocked_senders",
      "blockedSenders.unblock: ok",
      "blockedSenders.list: ok",
      "messageLog.save: ok",
      "messageLog.find: ok",
      "messageLog.list: ok",
      "webhooks.create: ok",
      "webhooks.create: already_created",
      "webhooks.list: ok",
      "webhooks.save: ok",
      "webhooks.remove: ok",
      "outbox.announce: ok",
      "apiKeys.create: ok",
      "apiKeys.list: ok",
      "apiKeys.findByHash: ok",
      "apiKeys.recordUse: ok",
      "apiKeys.remove: ok",
      "mailLedger.find: ok",
      "mailLedger.save: ok",
      "creations.find: ok",
      "creations.forget: ok",
      "suspensions.find: ok",
      "suspensions.suspend: ok",
      "suspensions.resume: ok",
    ].filter((result) => (results.get(result) ?? 0) < 5);
    expect(rare).toEqual([]);
  });
});

describe("under node:test", () => {
  test("every check runs and passes", () => {
    const file = fileURLToPath(new URL("./support/memory-store.node-test.ts", import.meta.url));
    // An empty environment, without the variables that vitest passes to child processes.
    const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", file], {
      encoding: "utf8",
      env: {},
    });
    expect(stdout).toContain(`# pass ${contract.length}\n`);
    expect(status).toBe(0);
  });
});
