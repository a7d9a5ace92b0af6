import { err, ok, parseEventId } from "@postern/core";
import { Tallies } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { aliases, type Broken, keyOf, readAliases, storedAlias } from "./broken.ts";

const EACH_ONCE =
  "each event is counted once, in any order and however often it is reported, without changing settings";

export const brokenEvents: readonly Broken[] = [
  {
    flaw: "an event is counted every time it is reported",
    noticedBy: [EACH_ONCE],
    open: aliases((real) => {
      let serial = 0;
      return {
        recordOutcome: (alias, event) => {
          serial += 1;
          return real.recordOutcome(alias, { ...event, id: valueOf(parseEventId(`${event.id}-${serial}`)) });
        },
      };
    }),
  },
  {
    flaw: "counting creates a new version",
    noticedBy: [
      EACH_ONCE,
      "events reported at once while recipients are replaced are each counted once, and no replacement is lost",
    ],
    open: aliases((real) => ({
      recordOutcome: async (reference, event) => {
        const recorded = await real.recordOutcome(reference, event);
        const alias = "id" in reference ? await storedAlias(real, reference) : null;
        if (alias !== null) await real.save(alias, { ...alias, version: alias.version + 1 });
        return recorded;
      },
    })),
  },
  {
    flaw: "events of deleted aliases are not counted",
    noticedBy: ["events are counted by alias id or by address in any case, and for a deleted alias"],
    open: aliases((real) => ({
      recordOutcome: async (reference, event) => {
        const alias = "id" in reference ? await storedAlias(real, reference) : null;
        if (alias !== null && alias.deletedAt !== null) return err({ code: "alias_not_found" });
        return real.recordOutcome(reference, event);
      },
    })),
  },
  {
    flaw: "the first event replaces the tallies that an alias was created with",
    noticedBy: ["events add to the tallies that an alias was created with"],
    open: aliases((real) => {
      const given = new Map<string, Tallies>();
      return {
        ...readAliases(real, (alias) => ({ ...alias, tallies: given.get(keyOf(alias)) ?? alias.tallies })),
        create: (alias, limits) => {
          given.set(keyOf(alias), alias.tallies);
          return real.create({ ...alias, tallies: Tallies.none }, limits);
        },
        recordOutcome: async (reference, event) => {
          const found = "email" in reference ? await real.findByEmail(reference.email) : null;
          const alias = found?.isOk() ? found.value : "id" in reference ? reference : null;
          if (alias !== null) given.delete(keyOf(alias));
          return real.recordOutcome(reference, event);
        },
      };
    }),
  },
  {
    flaw: "event ids are shared by all aliases",
    noticedBy: ["the same event id reported for two aliases counts for each"],
    open: aliases((real) => {
      const known = new Set<string>();
      return {
        recordOutcome: async (alias, event) => {
          if (known.has(event.id)) return ok("duplicate");
          known.add(event.id);
          return real.recordOutcome(alias, event);
        },
      };
    }),
  },
  {
    flaw: "events of unknown aliases are accepted",
    noticedBy: ["recordOutcome does not find an unknown alias or another account's"],
    open: aliases((real) => ({
      recordOutcome: async (reference, event) => {
        const recorded = await real.recordOutcome(reference, event);
        return recorded.isErr() ? ok("recorded") : recorded;
      },
    })),
  },
];
