import { type Alias, NO_LIMITS, type Store, type Webhook } from "@postern/core";
import { CREATION_RETENTION } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import {
  attachedCounts,
  creationOf,
  findAlias,
  findCreation,
  newAccount,
  newAlias,
  newLedgerKey,
  newWebhook,
} from "../samples.ts";
import { expectOne, raceCheck, raceCheckOf } from "./race.ts";

const findWebhook = async (store: Store, { account, id }: Webhook) =>
  valueOf(await store.webhooks.list(account)).find((each) => each.id === id) ?? null;

/** Of two creations with one key, one succeeds and the other one changes nothing. */
export const creationRaces: readonly Check[] = [
  ...[true, false].map((sameAddress) =>
    raceCheck(
      `two aliases with ${sameAddress ? "the same address" : "different addresses"} are created with the same key at once: exactly one succeeds`,
      async ({ store, account, home, work }) => {
        const alias = newAlias(account, [home]);
        const rival: Alias = { ...newAlias(account, [work]), ...(sameAddress && { email: alias.email }) };
        const creation = creationOf(alias);
        const other = creationOf(rival, { key: creation.key });
        const before = await attachedCounts(store, [home, work]);
        return {
          rivals: [
            () => store.aliases.create(alias, NO_LIMITS, creation),
            () => store.aliases.create(rival, NO_LIMITS, other),
          ],
          verify: async (succeeded) => {
            expectOne(succeeded);
            const [first] = succeeded;
            expectEqual(await findAlias(store, alias), first ? alias : null);
            expectEqual(await findAlias(store, rival), first ? null : rival);
            expectEqual(await findCreation(store, creation), first ? creation : other);
            const counts = before.map((count = 0, n) => count + Number(succeeded[n] ?? false));
            expectEqual(await attachedCounts(store, [home, work]), counts);
          },
        };
      },
    ),
  ),

  raceCheck(
    "two aliases are created at once with a key that was used 24 hours before: exactly one succeeds",
    async ({ store, account, home }) => {
      const old = newAlias(account, [home]);
      const { key, at } = creationOf(old);
      valueOf(await store.aliases.create(old, NO_LIMITS, creationOf(old, { key, at })));
      const aliases = [newAlias(account, [home]), newAlias(account, [home])] as const;
      const create = (alias: Alias) =>
        store.aliases.create(alias, NO_LIMITS, creationOf(alias, { key, at: at + CREATION_RETENTION }));
      return {
        rivals: [() => create(aliases[0]), () => create(aliases[1])],
        verify: async (succeeded) => {
          expectOne(succeeded);
          const found = await Promise.all(aliases.map((alias) => findAlias(store, alias)));
          expectEqual(
            found,
            aliases.map((alias, n) => (succeeded[n] ? alias : null)),
          );
        },
      };
    },
  ),

  raceCheckOf("webhooks")(
    "two webhooks are created with the same key at once: exactly one succeeds",
    async ({ store }) => {
      const account = newAccount();
      const [one, other] = [newWebhook(account), newWebhook(account)];
      const key = newLedgerKey();
      return {
        rivals: [
          () => store.webhooks.create(one, creationOf(one, { key })),
          () => store.webhooks.create(other, creationOf(other, { key })),
        ],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectEqual(valueOf(await store.webhooks.list(account)), [succeeded[0] ? one : other]);
        },
      };
    },
  ),

  raceCheckOf("webhooks")(
    "an alias and a webhook are created with the same key at once: exactly one succeeds",
    async ({ store, account, home }) => {
      const alias = newAlias(account, [home]);
      const webhook = newWebhook(account);
      const creation = creationOf(alias);
      const other = creationOf(webhook, { key: creation.key });
      return {
        rivals: [
          () => store.aliases.create(alias, NO_LIMITS, creation),
          () => store.webhooks.create(webhook, other),
        ],
        verify: async (succeeded) => {
          expectOne(succeeded);
          const [first] = succeeded;
          expectEqual(await findAlias(store, alias), first ? alias : null);
          expectEqual(await findWebhook(store, webhook), first ? null : webhook);
          expectEqual(await findCreation(store, creation), first ? creation : other);
          valueOf(await store.webhooks.remove(account, webhook.id));
        },
      };
    },
  ),
];
