import { type Alias, NO_LIMITS, ok, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Check } from "../check.ts";
import { expectEqual, isEqual } from "../expect.ts";
import { changed, findAlias, storeAlias, withRecipients } from "../samples.ts";
import { aliasesOf, walk } from "../walk.ts";
import { raceCheck, raceCheckOf } from "./race.ts";

/* A read during a write returns the alias as it was before or after the write, never a mix. */

type Read = (store: Store, alias: Alias) => Promise<Alias | null>;

const reads: Record<string, Read> = {
  findWithRecipients: findAlias,
  findByEmail: async (store, { email, tallies }) => {
    const found = valueOf(await store.aliases.findByEmail(email));
    return found && { ...found, tallies };
  },
  list: async (store, { account, id }) =>
    (await walk(aliasesOf(store, account))).find((alias) => alias.id === id) ?? null,
};

const meet: Read = async (store, alias) => {
  const met = await store.contacts.meet(alias, { author: null, correspondents: [] }, NO_LIMITS);
  return met.isErr() ? null : { ...met.value.alias, tallies: alias.tallies };
};

const racesOf = (name: string, read: Read, raceCheck: ReturnType<typeof raceCheckOf>): readonly Check[] => [
  raceCheck(
    `${name} during a save returns the alias before or after it, never a mix`,
    async ({ store, account, home, work }) => {
      const alias = await storeAlias(store, account, [home]);
      const after = changed(withRecipients(alias, [work, home]), {
        description: "after",
        active: false,
        version: 2,
      });
      let found: Alias | null = null;
      return {
        rivals: [
          () => store.aliases.save(alias, after),
          async () => {
            found = await read(store, alias);
            return ok();
          },
        ],
        verify: async ([saved]) => {
          expectEqual({ saved }, { saved: true });
          if (!isEqual(found, alias)) expectEqual(found, after);
        },
      };
    },
  ),

  raceCheck(
    `${name} during an erasure returns the whole alias or none`,
    async ({ store, account, home, work }) => {
      const alias = await storeAlias(store, account, [home, work]);
      let found: Alias | null = null;
      return {
        rivals: [
          () => store.aliases.erase(alias),
          async () => {
            found = await read(store, alias);
            return ok();
          },
        ],
        verify: async ([erased]) => {
          expectEqual({ erased }, { erased: true });
          if (found !== null) expectEqual(found, alias);
        },
      };
    },
  ),
];

export const readRaces: readonly Check[] = [
  ...Object.entries(reads).flatMap(([name, read]) => racesOf(name, read, raceCheck)),
  ...racesOf("meet", meet, raceCheckOf("contacts")),
];
