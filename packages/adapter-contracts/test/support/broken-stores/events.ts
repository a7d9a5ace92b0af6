import { ok, parseEventId } from "@postern/core";
import { Tallies } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { after, before, changingFirst, changingSecond, failingIf, isNew } from "../faults.ts";
import { keyOf, storedAlias } from "../stored.ts";
import { type Broken, flaw, readingAliases } from "./broken.ts";

const BY_ID_OR_ADDRESS = "events are counted by alias id or by address in any case, and for a deleted alias";
const ADDED = "events add to the tallies that an alias was created with";
const TWO_ALIASES = "the same event id reported for two aliases counts for each";
const UNKNOWN = "recordOutcome does not find an unknown alias or another account's";
const MANY = "an event is known, however many others have been counted since";
const EACH_ONCE =
  "each event is counted once, in any order and however often it is reported, without changing settings";

export const brokenEvents: readonly Broken[] = [
  flaw("an event is counted every time it is reported", [EACH_ONCE], () => {
    let serial = 0;
    return {
      "aliases.recordOutcome": changingSecond((event) => {
        serial += 1;
        return { ...event, id: valueOf(parseEventId(`${event.id}-${serial}`)) };
      }),
    };
  }),
  flaw(
    "counting creates a new version",
    [
      EACH_ONCE,
      "events reported at once while recipients are replaced are each counted once, and no replacement is lost",
    ],
    (store) => ({
      "aliases.recordOutcome": after(async (reference) => {
        const alias = "id" in reference ? await storedAlias(store, reference) : null;
        if (alias !== null) await store.aliases.save(alias, { ...alias, version: alias.version + 1 });
      }),
    }),
  ),
  flaw("events of deleted aliases are not counted", [BY_ID_OR_ADDRESS], (store) => ({
    "aliases.recordOutcome": failingIf({ code: "alias_not_found" }, async (reference) => {
      const alias = "id" in reference ? await storedAlias(store, reference) : null;
      return alias !== null && alias.deletedAt !== null;
    }),
  })),
  flaw("the first event replaces the tallies that an alias was created with", [ADDED], ({ aliases }) => {
    const given = new Map<string, Tallies>();
    return {
      ...readingAliases((alias) => ({ ...alias, tallies: given.get(keyOf(alias)) ?? alias.tallies })),
      "aliases.create": changingFirst((alias) => {
        given.set(keyOf(alias), alias.tallies);
        return { ...alias, tallies: Tallies.none };
      }),
      "aliases.recordOutcome": before(async (reference) => {
        const alias = "email" in reference ? valueOf(await aliases.findByEmail(reference.email)) : reference;
        if (alias !== null) given.delete(keyOf(alias));
      }),
    };
  }),
  flaw("only the last 100 events of all aliases are remembered", [MANY], () => {
    const counted: string[] = [];
    return {
      "aliases.recordOutcome": (record, reference, event) => {
        const repeats = counted.lastIndexOf(event.id);
        const isForgotten = repeats !== -1 && repeats < counted.length - 100;
        counted.push(event.id);
        const id = valueOf(parseEventId(`${event.id}-${counted.length}`));
        return record(reference, isForgotten ? { ...event, id } : event);
      },
    };
  }),
  flaw("event ids are shared by all aliases", [TWO_ALIASES], (_, seen) => ({
    "aliases.recordOutcome": async (record, reference, event) =>
      isNew(seen, event.id) ? record(reference, event) : ok("duplicate"),
  })),
  flaw("events of unknown aliases are accepted", [UNKNOWN], {
    "aliases.recordOutcome": async (record, reference, event) => {
      const recorded = await record(reference, event);
      return recorded.isErr() ? ok("recorded") : recorded;
    },
  }),
];
