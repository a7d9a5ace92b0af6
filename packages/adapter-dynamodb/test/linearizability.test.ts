import { randomInt } from "node:crypto";
import {
  expectLinearizable,
  randomSchedules,
  runSchedule,
  type Schedule,
} from "@postern/adapter-contracts/linearizability";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { runsWhole } from "@postern/test-support/runs-whole";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { faultProxy } from "./support/fault-proxy.ts";
import { FAULTS } from "./support/fault-proxy-faults.ts";
import { atRandom } from "./support/fault-proxy-plans.ts";
import { withoutVersionCondition } from "./support/linearizability-broken.ts";

let dynamodb: DynamoDb;

beforeAll(async () => {
  dynamodb = await sharedDynamoDb();
});

/** Two stores on one table, each behind its own fault proxy, and a third one that bypasses the proxies. */
const openStores = async (alter?: typeof withoutVersionCondition) => {
  const table = await dynamodb.newTable();
  const open = (endpoint: string, timeoutMs: number) =>
    dynamoStore({
      client: dynamodb.serverClient(endpoint),
      table,
      clock: Date,
      onCorruptItem: ({ pk, sk }) => expect.unreachable(`the item at ${pk} ${sk} is corrupt`),
      timeoutMs,
    });
  const proxies = [
    await faultProxy(dynamodb.endpoint, alter),
    await faultProxy(dynamodb.endpoint, alter),
  ] as const;
  const [one, two] = proxies;
  // A short timeout makes the outcome of many calls unknown, and the test quick.
  const stores = [open(one.endpoint, 300), open(two.endpoint, 300)] as const;
  const direct = open(dynamodb.endpoint, 20_000);
  const close = async () => {
    for (const store of [...stores, direct]) store.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  };
  return { proxies, stores, direct, close };
};

type Stores = Awaited<ReturnType<typeof openStores>>;

let accounts = 0;

/** Runs the schedule in a new account; each request meets a fault with probability `chance`. */
const run = ({ proxies, stores, direct }: Stores, schedule: Schedule, chance: number) => {
  accounts += 1;
  const account = valueOf(parseAccountId(`account-${accounts}`));
  for (const proxy of proxies) proxy.follow(atRandom(randomInt(2 ** 31), chance, FAULTS));
  const settled = async () => {
    for (const proxy of proxies) {
      proxy.follow(() => null);
      await proxy.settled();
    }
  };
  return runSchedule(schedule, { account, stores, direct, settled });
};

const HISTORIES = runsWhole(import.meta.url) ? 500 : 15;

/** The probabilities of a fault, in turn. */
const CHANCES = [0, 0.1, 0.4];

test(
  "concurrent operations on two stores, with faults, are linearizable",
  async () => {
    const opened = await openStores();
    let [known, unknown, erased] = [0, 0, 0];
    const struck = () =>
      new Set(opened.proxies.flatMap(({ passages }) => passages.flatMap(({ fault }) => fault ?? [])));
    /** Whether the histories contain everything that makes them worth checking. */
    const isComplete = () => struck().size === FAULTS.length && Math.min(known, unknown, erased) > 0;
    for (let n = 0; n < HISTORIES || !isComplete(); n += 1) {
      const [schedule = expect.unreachable("there is one")] = randomSchedules(1);
      const history = await run(opened, schedule, CHANCES[n % CHANCES.length] ?? 0);
      expectLinearizable(history);
      for (const { result } of history) {
        if (result === null) unknown += 1;
        else known += 1;
        if (result?.output === "erased") erased += 1;
      }
    }
    await opened.close();
  },
  300_000 + HISTORIES * 2_000,
);

test("concurrent operations are not linearizable without the condition on the version of an alias", async () => {
  const opened = await openStores(withoutVersionCondition);
  const violated = async (): Promise<string | null> => {
    for (const schedule of randomSchedules(200)) {
      const history = await run(opened, schedule, 0);
      try {
        expectLinearizable(history);
      } catch (error) {
        return String(error);
      }
    }
    return null;
  };
  expect(await violated()).toContain("No order of these calls explains their outputs");
  await opened.close();
});
