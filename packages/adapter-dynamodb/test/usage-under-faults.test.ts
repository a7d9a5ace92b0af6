import { NO_LIMITS, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type FaultProxy, faultProxy } from "./support/fault-proxy.ts";
import { FAULTS } from "./support/fault-proxy-faults.ts";
import { atRandom } from "./support/fault-proxy-plans.ts";
import { scan } from "./support/items.ts";
import { openStore } from "./support/open-store.ts";
import { alias, recipient, unverified, verified } from "./support/samples.ts";
import { forgetUsage, usageIn } from "./support/usage.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();

const owner = recipient("owner");
const WHOLE = runsWhole(import.meta.url);

test("under faults, with two stores, no limit is ever exceeded and every count is exact", async () => {
  const LIMIT = 4;
  type Call = (on: Store) => ReturnType<Store["aliases"]["create"] | Store["recipients"]["create"]>;
  const pool = Array.from({ length: 8 }, (_, n) => alias(`alias-${n}`, [owner]));
  const others = Array.from({ length: 8 }, (_, n) => unverified(`recipient-${n}`));
  const limits = { recipients: LIMIT + 1, unverifiedRecipients: LIMIT - 1 };
  const call: fc.Arbitrary<Call> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...pool).map(
        (each): Call =>
          (on) =>
            on.aliases.create(each, { aliases: LIMIT }),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...pool).map(
        (each): Call =>
          (on) =>
            on.aliases.erase(each),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...others).map(
        (each): Call =>
          (on) =>
            on.recipients.create(each, limits),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...others).map(
        (each): Call =>
          (on) =>
            on.recipients.save(each, verified(each)),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...others), fc.boolean()).map(
        ([each, isVerified]): Call =>
          (on) =>
            on.recipients.remove(isVerified ? verified(each) : each),
      ),
    },
  );
  const codes = new Map<string, number>();
  const proxies: readonly FaultProxy[] = await Promise.all([
    faultProxy(dynamo().endpoint),
    faultProxy(dynamo().endpoint),
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.constantFrom(0, 0.15, 0.4),
      fc.boolean(),
      async (rounds, seed, chance, isOld) => {
        const table = await dynamo().newTable();
        const direct = openStore(dynamo().client(), table);
        const usage = async () => usageIn(await scan(documents(), table));
        valueOf(await direct.recipients.create(owner, NO_LIMITS));
        for (const each of pool.slice(0, 2)) valueOf(await direct.aliases.create(each, NO_LIMITS));
        for (const each of others.slice(0, 2)) valueOf(await direct.recipients.create(each, NO_LIMITS));
        if (isOld) await forgetUsage(documents(), table);
        const stores = proxies.map(({ endpoint }) =>
          openStore(dynamo().serverClient(endpoint), table, { timeoutMs: 400 }),
        );
        for (const round of rounds) {
          const before = await usage();
          for (const [i, proxy] of proxies.entries()) proxy.follow(atRandom(seed + i, chance, FAULTS));
          const made = await Promise.all(round.map((run, i) => run(stores[i % 2] ?? direct)));
          for (const proxy of proxies) {
            proxy.follow(() => null);
            await proxy.settled();
          }
          for (const result of made) {
            const code = result.isOk() ? "ok" : result.error.code;
            codes.set(code, (codes.get(code) ?? 0) + 1);
          }
          const after = await usage();
          for (const { actual, counted } of Object.values(after)) {
            // Only accounts from before there were limits may have something that is not counted.
            if (!isOld || counted !== null) expect(counted).toEqual(actual.total === 0 ? null : actual);
          }
          expect(after.aliases.actual.total).toBeLessThanOrEqual(LIMIT);
          expect(after.recipients.actual.total).toBeLessThanOrEqual(limits.recipients);
          expect(after.recipients.actual.unverified).toBeLessThanOrEqual(limits.unverifiedRecipients);
          if (made.every((result) => result.isErr() && result.error.code !== "unavailable")) {
            expect([after.aliases.actual, after.recipients.actual]).toEqual([
              before.aliases.actual,
              before.recipients.actual,
            ]);
          }
        }
        for (const each of [...stores, direct]) each.close();
      },
    ),
    { numRuns: WHOLE ? 60 : 12, endOnFailure: true, interruptAfterTimeLimit: 290_000 },
  );
  for (const proxy of proxies) await proxy.close();
  // So few do not always contain everything.
  if (!WHOLE) return;
  for (const code of ["ok", "conflict", "unavailable", "too_many_aliases"]) {
    expect(codes.get(code) ?? 0, code).toBeGreaterThan(0);
  }
  const tooMany =
    (codes.get("too_many_recipients") ?? 0) + (codes.get("too_many_unverified_recipients") ?? 0);
  expect(tooMany).toBeGreaterThan(0);
});
