import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { dynamoStore } from "../packages/adapter-dynamodb/src/index.ts";
import { conflictProxy } from "../packages/adapter-dynamodb/test/support/conflict-proxy.ts";
import {
  Alias,
  type Cause,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Result,
  type Store,
} from "../packages/core/src/index.ts";
import { replaceRecipients } from "../packages/core/src/operations.ts";
import { valueOf } from "../packages/core/src/testing/index.ts";
import { systemClock } from "../packages/node/src/index.ts";
import { startDynamoDbLocal } from "../packages/test-support/src/dynamodb-local.ts";

/*
 * How much throughput DynamoDB's conflicts leave for one alias, and for one recipient. A proxy in front of DynamoDB Local
 * makes each transaction hold its items for some milliseconds, as in AWS, and refuses transactions that overlap with it.
 *
 *     node_modules/.bin/node bench/dynamodb-contention.ts [--hold 10] [--seconds 5] [--only events|creations] [--servers 1]
 *
 * - events: counts a given number of events a second for one alias, while its owner replaces its recipients 20 times a second.
 * - creations: clients create aliases for one recipient, each as fast as it can, on one server or spread over several.
 */

const { values: options } = parseArgs({
  options: {
    hold: { type: "string", default: "10" },
    seconds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    rates: { type: "string", default: "40,80,160" },
    clients: { type: "string", default: "1,4,16,64" },
    servers: { type: "string", default: "1" },
  },
});
const SECONDS = Number(options.seconds);
const PAUSE_MS = 50;
/** As in a server with the default limits. */
const LIMITS = { aliases: 10_000, recipients: 200, unverifiedRecipients: 20 };

const local = await startDynamoDbLocal();
const proxy = await conflictProxy(local.endpoint, Number(options.hold));
const table = await local.newTable();
const open = (): Store & { close(): void } =>
  dynamoStore({
    client: local.serverClient(proxy.endpoint),
    table,
    clock: Date,
    onCorruptItem: ({ sk }) => console.error(`corrupt: ${sk}`),
  });
const store = open();
const servers = [store, ...Array.from({ length: Number(options.servers) - 1 }, open)];
const replace = replaceRecipients({ aliases: store.aliases, clock: systemClock });

let serial = 0;
const next = (name: string): string => {
  serial += 1;
  return `${name}-${String(serial).padStart(6, "0")}`;
};

const newRecipients = async (account: string, count: number): Promise<readonly Recipient[]> => {
  const created: Recipient[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = next("recipient");
    const identity = {
      id: valueOf(parseRecipientId(name)),
      account: valueOf(parseAccountId(account)),
      email: valueOf(parseEmailAddress(`${name}@mail.example`)),
      nonce: "nonce",
    };
    const recipient = Recipient.adopt(identity, Date.now());
    valueOf(await store.recipients.create(recipient, LIMITS));
    created.push(recipient);
  }
  return created;
};

const newAlias = (account: string, recipients: readonly Recipient[]): Alias => {
  const name = next("alias");
  const identity = {
    id: valueOf(parseAliasId(name)),
    account: valueOf(parseAccountId(account)),
    email: valueOf(parseEmailAddress(`${name}@alias.example`)),
    description: "",
  };
  const ids = valueOf(parseRecipientIds(recipients.map(({ id }) => id)));
  return valueOf(Alias.create(identity, ids, recipients, Date.now()));
};

/** The outcomes of calls, by the reason of failure: timeouts mean that this machine is too busy to measure anything. */
const outcomes = () => {
  const failures = new Map<string, number>();
  let made = 0;
  return {
    add: (result: Result<unknown, { readonly code: string; readonly cause?: Cause | undefined }>) => {
      made += 1;
      if (result.isOk()) return;
      const { code, cause } = result.error;
      const reason = cause?.reason ?? code;
      failures.set(reason, (failures.get(reason) ?? 0) + 1);
    },
    show: () => {
      const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
      const share = made === 0 ? 0 : (100 * failed) / made;
      const reasons = [...failures].map(([reason, count]) => `${count} ${reason}`).join(", ");
      return `${((made - failed) / SECONDS).toFixed(0).padStart(4)}/s, ${share.toFixed(1).padStart(5)} % fail ${reasons}`;
    },
  };
};

const runEvents = async (width: number, rate: number): Promise<string> => {
  const account = next("account");
  // One more than the alias has, so that each list differs from the previous one.
  const recipients = await newRecipients(account, width + 1);
  const alias = newAlias(account, recipients.slice(0, width));
  valueOf(await store.aliases.create(alias, LIMITS));
  const [events, replacements] = [outcomes(), outcomes()];
  const end = performance.now() + SECONDS * 1_000;

  const owner = async () => {
    for (let n = 1; performance.now() < end; n += 1) {
      const ids = recipients.map((_, i) => recipients[(i + n) % recipients.length]?.id ?? "").slice(0, width);
      replacements.add(await replace({ account: alias.account, aliasId: alias.id, recipientIds: ids }));
      await setTimeout(PAUSE_MS);
    }
  };
  const reporter = async () => {
    const pending: Promise<void>[] = [];
    const start = performance.now();
    for (let n = 0; performance.now() < end; n += 1) {
      const event = { id: valueOf(parseEventId(next("event"))), outcome: "sent", at: Date.now() } as const;
      pending.push(store.aliases.recordOutcome(alias, event).then(events.add));
      await setTimeout(Math.max(0, start + ((n + 1) * 1_000) / rate - performance.now()));
    }
    await Promise.all(pending);
  };
  await Promise.all([owner(), reporter()]);
  const found = valueOf(await store.aliases.findWithRecipients(alias.account, alias.id, []));
  return `events ${events.show()}; replacements ${replacements.show()}; counted ${found.alias?.tallies.sent.count}`;
};

const runCreations = async (clients: number): Promise<string> => {
  const account = next("account");
  const recipients = await newRecipients(account, 1);
  const creations = outcomes();
  const end = performance.now() + SECONDS * 1_000;
  const client = async (n: number) => {
    const { aliases } = servers[n % servers.length] ?? store;
    while (performance.now() < end)
      creations.add(await aliases.create(newAlias(account, recipients), LIMITS));
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return `creations ${creations.show()}`;
};

const measure = async (name: string, run: () => Promise<string>): Promise<void> => {
  const before = { ...proxy.counts };
  const shown = await run();
  const conflicts = proxy.counts.conflicts - before.conflicts;
  const passed = proxy.counts.passed - before.passed;
  console.log(`${name}: ${shown} (${conflicts} conflicts, ${passed} writes passed)`);
};

try {
  console.log(`transactions hold their items for ${options.hold} ms`);
  const list = (text: string) => text.split(",").map(Number);
  if (options.only !== "creations") {
    for (const width of [1, 40]) {
      for (const rate of list(options.rates)) {
        await measure(`${width} recipients, ${rate} events/s`, () => runEvents(width, rate));
      }
    }
  }
  if (options.only !== "events") {
    for (const clients of list(options.clients)) {
      await measure(`${clients} clients`, () => runCreations(clients));
    }
  }
} finally {
  for (const each of servers) each.close();
  await proxy.close();
  await local.stop();
}
