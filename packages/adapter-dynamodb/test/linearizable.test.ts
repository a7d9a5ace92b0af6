import { setTimeout } from "node:timers/promises";
import { dynamoStore } from "@postern/adapter-dynamodb";
import {
  AccountId,
  Alias,
  type Clock,
  EmailAddress,
  Recipient,
  RecipientId,
  RecipientIds,
  type Store,
} from "@postern/core";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultProxy } from "./support/fault-proxy.ts";
import { FAULTS } from "./support/fault-proxy-faults.ts";
import { atRandom } from "./support/fault-proxy-plans.ts";
import { type Call, checkLinearizable } from "./support/linearizability.ts";
import { withoutVersionCondition } from "./support/linearizability-broken.ts";
import {
  type AliasAnswer,
  type AliasCall,
  type AliasState,
  aliasModel,
} from "./support/linearizability-model.ts";
import { splitRefusals } from "./support/linearizability-refusals.ts";
import { ALIAS, caller, type MadeCall } from "./support/linearizability-use-cases.ts";

const start: AliasState = {
  version: 1,
  list: ["A"],
  recipients: { A: "active", B: "active", C: "active", D: "inactive" },
};
const names = Object.keys(start.recipients);
const model = aliasModel(start);

const clock: Clock = {
  now: () => Date.now(),
  pause: async () => {
    await setTimeout(Math.random() * 10);
  },
};

/** Puts into the account what `start` says. */
const fill = async ({ recipients, aliases }: Store, account: AccountId): Promise<void> => {
  const now = clock.now();
  const kept = names.map((name) => {
    const email = EmailAddress.parse(`${name}@example.org`);
    const added = Recipient.add({ id: RecipientId.parse(name), account, email, nonce: name }, now);
    return { ...added, verifiedAt: now, active: start.recipients[name] === "active" };
  });
  for (const recipient of kept) (await recipients.create(recipient))._unsafeUnwrap();
  const email = EmailAddress.parse(`${account}@alias.example`);
  const ids = RecipientIds.parse(start.list);
  const alias = Alias.create({ id: ALIAS, account, email, description: "" }, ids, kept, now)._unsafeUnwrap();
  (await aliases.create(alias))._unsafeUnwrap();
};

let dynamodb: DynamoDbLocal;

beforeAll(async () => {
  dynamodb = await startDynamoDbLocal();
}, 120_000);

afterAll(() => dynamodb.stop());

/** Two store instances on one table, each behind a fault proxy of its own, and a third one with a way past them. */
const openStores = async (alter?: typeof withoutVersionCondition) => {
  const table = await dynamodb.newTable();
  const open = (endpoint: string, patience: number) =>
    dynamoStore({ client: dynamodb.client(endpoint), table, clock, onCorruptItem: () => {}, patience });
  const proxies = [
    await faultProxy(dynamodb.endpoint, alter),
    await faultProxy(dynamodb.endpoint, alter),
  ] as const;
  const [one, two] = proxies;
  // Little patience, so that calls end as unknown often, and the test soon.
  const stores = [open(one.endpoint, 300), open(two.endpoint, 300)] as const;
  const direct = open(dynamodb.endpoint, 20_000);
  const close = async () => {
    for (const store of [...stores, direct]) store.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  };
  return { proxies, stores, direct, close };
};

type Stores = Awaited<ReturnType<typeof openStores>>;

type Schedule = {
  /** What each client calls, one after the other. */
  readonly clients: readonly (readonly MadeCall[])[];
  readonly seed: number;
  /** How likely a request meets a fault. */
  readonly chance: number;
};

const name = fc.constantFrom(...names);
const call: fc.Arbitrary<MadeCall> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      call: fc.constant("replace"),
      list: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      call: fc.constantFrom("activate", "deactivate", "deactivate", "look"),
      recipient: name,
    }),
  },
  { weight: 1, arbitrary: fc.record({ call: fc.constant("remove"), recipient: name }) },
  { weight: 2, arbitrary: fc.constant({ call: "read" } as const) },
);
const four = fc.array(call, { minLength: 4, maxLength: 4 });
const schedules = (chances: readonly [number, ...number[]]): fc.Arbitrary<Schedule> =>
  fc.record({ clients: fc.tuple(four, four, four), seed: fc.nat(), chance: fc.constantFrom(...chances) });

let accounts = 0;

/** Lets all clients call at once, in an account of their own; ends with a look at what is left when all is quiet. */
const run = async ({ proxies, stores, direct }: Stores, { clients, seed, chance }: Schedule) => {
  accounts += 1;
  const account = AccountId.parse(`account-${accounts}`);
  await fill(direct, account);
  const history: Call<AliasCall, AliasAnswer>[] = [];
  let time = 0;
  const make = async (process: string, store: Store, input: MadeCall) => {
    time += 1;
    const called = time;
    const output = await caller(store, clock, account)(input);
    time += 1;
    history.push({ process, input, called, answer: output === null ? null : { output, returned: time } });
  };

  for (const [i, proxy] of proxies.entries()) proxy.follow(atRandom(seed + i, chance, FAULTS));
  await Promise.all(
    clients.map(async (inputs, i) => {
      const store = i % 2 === 0 ? stores[0] : stores[1];
      for (const input of inputs) await make(`client ${i + 1}`, store, input);
    }),
  );
  for (const proxy of proxies) {
    proxy.follow(() => null);
    await proxy.settled();
  }
  await make("at last ", direct, { call: "read" });
  for (const recipient of names) await make("at last ", direct, { call: "look", recipient });
  return history;
};

const hold = (history: readonly Call<AliasCall, AliasAnswer>[]): void => {
  const verdict = checkLinearizable(model, splitRefusals(history));
  if (!verdict.linearizable) throw new Error(verdict.counterexample);
};

test("concurrent calls through two stores, with faults, are linearizable", async () => {
  const opened = await openStores();
  let [known, unknown] = [0, 0];
  await fc.assert(
    fc.asyncProperty(schedules([0, 0.1, 0.4]), async (schedule) => {
      const history = await run(opened, schedule);
      hold(history);
      for (const { answer } of history) {
        if (answer === null) unknown += 1;
        else known += 1;
      }
    }),
    // A smaller schedule would run another way: what is worth having is the seed.
    { numRuns: 200, endOnFailure: true },
  );
  const struck = opened.proxies.flatMap(({ passages }) => passages.flatMap(({ fault }) => fault ?? []));
  expect(new Set(struck)).toEqual(new Set(FAULTS));
  expect(unknown).toBeGreaterThan(50);
  expect(known).toBeGreaterThan(1000);
  await opened.close();
}, 300_000);

test("without the condition on the version of an alias they are not", async () => {
  const opened = await openStores(withoutVersionCondition);
  const property = fc.asyncProperty(schedules([0]), async (schedule) => hold(await run(opened, schedule)));
  const { failed, errorInstance } = await fc.check(property, { numRuns: 200, endOnFailure: true });
  expect(failed).toBe(true);
  expect(String(errorInstance)).toContain("No order of these calls explains their answers");
  await opened.close();
}, 300_000);
