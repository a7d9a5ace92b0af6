import { type ApiKey, type LastUse, MAX_API_KEYS, ok, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems, isEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import { NOW, newAccount, newApiKey, storeApiKey } from "../samples.ts";
import { expectOne, failuresOf, headStarts, raceCheckOf } from "./race.ts";

const raceCheck = raceCheckOf("apiKeys");

const TOO_MANY = { error: { code: "too_many_api_keys", limit: MAX_API_KEYS } };

/** Stores so many API keys of a new account. */
const storeMany = async (store: Store, count: number): Promise<readonly [ApiKey, ...ApiKey[]]> => {
  const first = await storeApiKey(store, newAccount());
  const others: ApiKey[] = [];
  while (others.length < count - 1) others.push(await storeApiKey(store, first.account));
  return [first, ...others];
};

/** Throws unless the account of `owner` has exactly these API keys, and each is found by its hash. */
const expectApiKeys = async (
  store: Store,
  { account }: Pick<ApiKey, "account">,
  apiKeys: readonly ApiKey[],
): Promise<void> => {
  expectSameItems(valueOf(await store.apiKeys.list(account)), apiKeys);
  for (const apiKey of apiKeys) expectEqual(valueOf(await store.apiKeys.findByHash(apiKey.hash)), apiKey);
};

const expectNone = async (store: Store, { hash }: ApiKey): Promise<void> =>
  expectEqual(valueOf(await store.apiKeys.findByHash(hash)), null);

const EARLIER: LastUse = { at: NOW, by: "browser_extension" };
const LATER: LastUse = { at: NOW + 1, by: "program" };

/** What can be read of a key while something happens to it. */
const READS: Record<string, (store: Store, apiKey: ApiKey) => Promise<ApiKey | null>> = {
  findByHash: async (store, { hash }) => valueOf(await store.apiKeys.findByHash(hash)),
  list: async (store, { account, id }) =>
    valueOf(await store.apiKeys.list(account)).find((each) => each.id === id) ?? null,
};

export const apiKeyRaces: readonly Check[] = [
  raceCheck(
    "two creations race for the last place of an API key: exactly one succeeds",
    async ({ store }) => {
      const stored = await storeMany(store, MAX_API_KEYS - 1);
      const [{ account }] = stored;
      const [one, other] = [newApiKey(account), newApiKey(account)];
      return {
        rivals: [() => store.apiKeys.create(one), () => store.apiKeys.create(other)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          const [created, refused] = succeeded[0] ? [one, other] : [other, one];
          await expectApiKeys(store, one, [...stored, created]);
          await expectNone(store, refused);
        },
      };
    },
  ),

  checkOf("apiKeys")(
    "many creations race with removing some of the API keys: the account gets as many as it can have, and no more",
    async (store) => {
      const crowd = fc.record({
        places: fc.nat(3),
        leaving: fc.nat(3),
        joining: fc.integer({ min: 2, max: 5 }),
      });
      await fc.assert(
        fc.asyncProperty(crowd, headStarts(8), async ({ places, leaving, joining }, starts) => {
          const stored = await storeMany(store, MAX_API_KEYS - places);
          const [{ account }] = stored;
          const joiners = Array.from({ length: joining }, () => newApiKey(account));
          const leavers = stored.slice(0, leaving);
          const failures = await failuresOf(
            [
              ...joiners.map((apiKey) => () => store.apiKeys.create(apiKey)),
              ...leavers.map(
                ({ id }) =>
                  () =>
                    store.apiKeys.remove(account, id),
              ),
            ],
            starts,
          );
          const joined = joiners.filter((_, i) => failures[i] === null);
          const refused = failures.slice(0, joining).filter((failure) => failure === "too_many_api_keys");
          // Calls can also fail because of contention, in which case they have done nothing.
          const left = leavers.filter((_, i) => failures[joining + i] === null);
          const expected = [...stored.filter((apiKey) => !left.includes(apiKey)), ...joined];
          await expectApiKeys(store, { account }, expected);
          for (const gone of [...left, ...joiners.filter((apiKey) => !joined.includes(apiKey))]) {
            await expectNone(store, gone);
          }
          // Only creations beyond the limit are refused because of it.
          if (expected.length > MAX_API_KEYS || refused.length > Math.max(0, joining - places)) {
            throw new Error(`${refused.length} of ${joining} were refused, and ${expected.length} are there`);
          }
          for (let count = expected.length; count < MAX_API_KEYS; count += 1)
            await storeApiKey(store, account);
          expectMatch(await store.apiKeys.create(newApiKey(account)), TOO_MANY);
        }),
        // The example has them all start at once, with too few places, whatever fast-check generates.
        { ...runs(25), examples: [[{ places: 1, leaving: 1, joining: 3 }, []]] },
      );
    },
  ),

  raceCheck("creating two API keys with the same id at once: exactly one succeeds", async ({ store }) => {
    const one = newApiKey(newAccount());
    const other = newApiKey(one.account, { id: one.id });
    return {
      rivals: [() => store.apiKeys.create(one), () => store.apiKeys.create(other)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        const [created, refused] = succeeded[0] ? [one, other] : [other, one];
        await expectApiKeys(store, one, [created]);
        await expectNone(store, refused);
      },
    };
  }),

  raceCheck(
    "two accounts create API keys with the same hash at once: exactly one succeeds",
    async ({ store }) => {
      const one = newApiKey(newAccount());
      const other = newApiKey(newAccount(), { hash: one.hash });
      return {
        rivals: [() => store.apiKeys.create(one), () => store.apiKeys.create(other)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          const [created, refused] = succeeded[0] ? [one, other] : [other, one];
          await expectApiKeys(store, created, [created]);
          await expectApiKeys(store, refused, []);
        },
      };
    },
  ),

  raceCheck(
    "removing an API key races with creating another one with its hash: the hash leads to the one that is there",
    async ({ store }) => {
      const before = await storeApiKey(store, newAccount());
      const successor = newApiKey(newAccount(), { hash: before.hash });
      return {
        rivals: [
          () => store.apiKeys.remove(before.account, before.id),
          () => store.apiKeys.create(successor),
        ],
        verify: async ([removed, created]) => {
          expectEqual({ removed }, { removed: true });
          await expectApiKeys(store, before, []);
          await expectApiKeys(store, successor, created ? [successor] : []);
          if (!created) await expectNone(store, successor);
        },
      };
    },
  ),

  raceCheck("creating an API key races with removing another one: both take effect", async ({ store }) => {
    const leaving = await storeApiKey(store, newAccount());
    const joining = newApiKey(leaving.account);
    return {
      rivals: [() => store.apiKeys.create(joining), () => store.apiKeys.remove(leaving.account, leaving.id)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        await expectApiKeys(store, joining, [joining]);
        await expectNone(store, leaving);
      },
    };
  }),

  raceCheck("removing an API key twice at once makes room for exactly one", async ({ store }) => {
    const [leaving, ...kept] = await storeMany(store, MAX_API_KEYS);
    const remove = () => store.apiKeys.remove(leaving.account, leaving.id);
    return {
      rivals: [remove, remove],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        const joining = await storeApiKey(store, leaving.account);
        expectMatch(await store.apiKeys.create(newApiKey(leaving.account)), TOO_MANY);
        await expectApiKeys(store, leaving, [...kept, joining]);
      },
    };
  }),

  raceCheck("the use of an API key races with removing it: it is gone", async ({ store }) => {
    const apiKey = await storeApiKey(store, newAccount());
    return {
      rivals: [
        () => store.apiKeys.recordUse(apiKey, LATER),
        () => store.apiKeys.remove(apiKey.account, apiKey.id),
      ],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        await expectApiKeys(store, apiKey, []);
        await expectNone(store, apiKey);
      },
    };
  }),

  raceCheck("two uses of an API key at once: the later one is recorded", async ({ store }) => {
    const apiKey = await storeApiKey(store, newAccount());
    return {
      rivals: [() => store.apiKeys.recordUse(apiKey, EARLIER), () => store.apiKeys.recordUse(apiKey, LATER)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        await expectApiKeys(store, apiKey, [{ ...apiKey, lastUse: LATER }]);
      },
    };
  }),

  raceCheck("the use of an API key races with creating another one: both take effect", async ({ store }) => {
    const used = await storeApiKey(store, newAccount());
    const joining = newApiKey(used.account);
    return {
      rivals: [() => store.apiKeys.recordUse(used, LATER), () => store.apiKeys.create(joining)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        await expectApiKeys(store, used, [{ ...used, lastUse: LATER }, joining]);
      },
    };
  }),

  raceCheck("the uses of two API keys of an account at once: both are recorded", async ({ store }) => {
    const [one, other] = await storeMany(store, 2);
    if (other === undefined) throw new Error("there is one API key");
    return {
      rivals: [() => store.apiKeys.recordUse(one, EARLIER), () => store.apiKeys.recordUse(other, LATER)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        await expectApiKeys(store, one, [
          { ...one, lastUse: EARLIER },
          { ...other, lastUse: LATER },
        ]);
      },
    };
  }),

  ...Object.entries(READS).flatMap(([name, read]) => [
    raceCheck(
      `${name} during the use of an API key returns it before or after it, never a mix`,
      async ({ store }) => {
        const before = await storeApiKey(store, newAccount(), { lastUse: EARLIER });
        let found: ApiKey | null = null;
        return {
          rivals: [
            () => store.apiKeys.recordUse(before, LATER),
            async () => {
              found = await read(store, before);
              return ok();
            },
          ],
          verify: async (succeeded) => {
            expectEqual(succeeded, [true, true]);
            if (!isEqual(found, before)) expectEqual(found, { ...before, lastUse: LATER });
          },
        };
      },
    ),

    raceCheck(`${name} during the removal of an API key returns the whole key or none`, async ({ store }) => {
      const apiKey = await storeApiKey(store, newAccount(), { lastUse: EARLIER });
      let found: ApiKey | null = null;
      return {
        rivals: [
          () => store.apiKeys.remove(apiKey.account, apiKey.id),
          async () => {
            found = await read(store, apiKey);
            return ok();
          },
        ],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          if (found !== null) expectEqual(found, apiKey);
        },
      };
    }),
  ]),
];
