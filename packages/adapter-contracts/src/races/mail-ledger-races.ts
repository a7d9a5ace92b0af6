import { isNonEmpty, ok } from "@postern/core";
import type { LedgerEntry } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual, expectSameItems, isEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import { changedEntry, findEntry, NOW, newEntry, saveEntry } from "../samples.ts";
import { expectOne, headStarts, raceCheck, startAll } from "./race.ts";

/* Of concurrent saves that have an entry in common, one succeeds, completely. */

export const mailLedgerRaces: readonly Check[] = [
  raceCheck(
    "two new entries of the mail ledger with the same key race: exactly one is stored",
    async ({ store }) => {
      const one = newEntry();
      const other = { ...one, chargedAt: [NOW] };
      return {
        rivals: [() => store.mailLedger.save([one]), () => store.mailLedger.save([other])],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectEqual(await findEntry(store, one), succeeded[0] ? one : other);
        },
      };
    },
  ),

  raceCheck("two saves of the same version of an entry race: exactly one succeeds", async ({ store }) => {
    const entry = await saveEntry(store, newEntry());
    const one = changedEntry(entry, { chargedAt: [NOW, NOW + 1] });
    const other = changedEntry(entry, { suppressedAt: NOW });
    return {
      rivals: [() => store.mailLedger.save([one]), () => store.mailLedger.save([other])],
      verify: async (succeeded) => {
        expectOne(succeeded);
        expectEqual(await findEntry(store, entry), succeeded[0] ? one : other);
      },
    };
  }),

  raceCheck(
    "two saves that have an entry in common race: exactly one is stored, completely",
    async ({ store }) => {
      const shared = await saveEntry(store, newEntry());
      const [one, other] = [newEntry(), newEntry()];
      const [charged, suppressed] = [
        changedEntry(shared, { chargedAt: [NOW, NOW + 1] }),
        changedEntry(shared, { suppressedAt: NOW }),
      ];
      return {
        rivals: [
          () => store.mailLedger.save([one, charged]),
          () => store.mailLedger.save([suppressed, other]),
        ],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectSameItems(
            valueOf(await store.mailLedger.find([one.key, shared.key, other.key])),
            succeeded[0] ? [one, charged] : [suppressed, other],
          );
        },
      };
    },
  ),

  raceCheck("find during a save returns the entry before or after it, never a mix", async ({ store }) => {
    const entry = await saveEntry(store, newEntry());
    const after = changedEntry(entry, { chargedAt: [NOW], suppressedAt: NOW, expiresAt: null });
    let found: LedgerEntry | null = null;
    return {
      rivals: [
        () => store.mailLedger.save([after]),
        async () => {
          found = await findEntry(store, entry);
          return ok();
        },
      ],
      verify: async ([saved]) => {
        expectEqual({ saved }, { saved: true });
        if (!isEqual(found, entry)) expectEqual(found, after);
      },
    };
  }),

  check(
    "many saves with common entries race: those that succeed have none in common and are stored completely",
    async (store) => {
      const crowd = fc.record({
        existing: fc.nat(4),
        saves: fc.array(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }), { minLength: 2, maxLength: 6 }),
      });
      await fc.assert(
        fc.asyncProperty(crowd, headStarts(6), async ({ existing, saves }, starts) => {
          const entries = Array.from({ length: 4 }, () => newEntry());
          for (const entry of entries.slice(0, existing)) await saveEntry(store, entry);
          const batches = saves.map((places, serial) =>
            places.flatMap((place) => {
              const entry = entries[place];
              if (entry === undefined) return [];
              const own = { ...entry, chargedAt: [NOW + serial] };
              return place < existing ? changedEntry(own, {}) : own;
            }),
          );
          const succeeded = await startAll(
            batches.flatMap((batch) => (isNonEmpty(batch) ? [() => store.mailLedger.save(batch)] : [])),
            starts,
          );
          if (!succeeded.includes(true)) throw new Error("no save succeeded");
          const saved = batches.filter((_, i) => succeeded[i]).flat();
          const savedKeys = new Set(saved.map(({ key }) => key));
          expectEqual({ "entries saved": saved.length }, { "entries saved": savedKeys.size });
          const unchanged = entries.slice(0, existing).filter(({ key }) => !savedKeys.has(key));
          expectSameItems(valueOf(await store.mailLedger.find(entries.map(({ key }) => key))), [
            ...saved,
            ...unchanged,
          ]);
        }),
        runs(25),
      );
    },
  ),
];
