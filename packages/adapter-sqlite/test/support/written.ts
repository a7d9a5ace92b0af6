import { type Alias, type EmailAddress, parseEventId, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect } from "vitest";
import { NOW } from "./samples.ts";
import { storedAliases } from "./stored-aliases.ts";

/** The writes that a writer reported as acknowledged. */
export type Written = {
  /** Each alias that was not erased, as last stored, by its id. */
  readonly aliases: Map<string, Alias>;
  /** The addresses of erased aliases. */
  readonly erased: Set<string>;
  /** The events counted for each alias since it was last checked. */
  readonly events: Map<string, Set<string>>;
  /** How many events each alias had counted before these. */
  readonly counts: Map<string, number>;
};

export const nothingWritten = (): Written => ({
  aliases: new Map(),
  erased: new Set(),
  events: new Map(),
  counts: new Map(),
});

type Line = {
  readonly stored?: Alias;
  readonly erased?: Alias;
  readonly counted?: { readonly alias: string; readonly event: string };
};

const erase = (written: Written, { id, email }: Alias): void => {
  written.aliases.delete(id);
  written.events.delete(id);
  written.counts.delete(id);
  written.erased.add(email);
};

/** Adds the reports in the complete lines of `output`, and returns how many writes they acknowledge. */
export const readLines = (written: Written, output: string): number => {
  // The last line has no end if the writer was killed while printing it.
  const lines = output.split("\n").slice(0, -1);
  const reports = lines.map((line): Line => JSON.parse(line));
  for (const { stored, erased, counted } of reports) {
    if (stored !== undefined) written.aliases.set(stored.id, stored);
    if (erased !== undefined) erase(written, erased);
    if (counted !== undefined) {
      const events = written.events.get(counted.alias) ?? new Set();
      written.events.set(counted.alias, events.add(counted.event));
    }
  }
  return reports.filter((report) => "stored" in report || "erased" in report || "counted" in report).length;
};

/** All retired addresses of a store. */
export const retiredAddresses = async (store: Store): Promise<readonly EmailAddress[]> => {
  const all: EmailAddress[] = [];
  let after: EmailAddress | null = null;
  do {
    const { items, next }: { items: readonly EmailAddress[]; next: EmailAddress | null } = valueOf(
      await store.aliases.listRetiredAddresses({ limit: 100, after }),
    );
    all.push(...items);
    after = next;
  } while (after !== null);
  return all;
};

/**
 * Checks that everything acknowledged is stored, and updates `written` to what is stored. Returns how many stored
 * writes were not acknowledged: there can be one for each writer that was killed before it could report it.
 */
export const expectStored = async (store: Store, written: Written): Promise<number> => {
  let unacknowledged = 0;
  const found = await storedAliases(store);
  for (const alias of found) {
    const stored = written.aliases.get(alias.id);
    if (alias.version === stored?.version) expect({ ...stored, tallies: alias.tallies }).toEqual(alias);
    else {
      expect(alias.version, alias.id).toBe((stored?.version ?? 0) + 1);
      unacknowledged += 1;
    }
    const events = written.events.get(alias.id) ?? new Set();
    const count = (written.counts.get(alias.id) ?? 0) + events.size;
    expect(alias.tallies.sent.count).toBeGreaterThanOrEqual(count);
    unacknowledged += alias.tallies.sent.count - count;
    for (const id of events) {
      const event = { id: valueOf(parseEventId(id)), outcome: "sent", at: NOW } as const;
      expect(await store.aliases.recordOutcome(alias, event)).toMatchObject({ value: "duplicate" });
    }
    written.aliases.set(alias.id, alias);
    written.events.delete(alias.id);
    written.counts.set(alias.id, alias.tallies.sent.count);
  }
  const ids = new Set(found.map(({ id }) => String(id)));
  for (const alias of [...written.aliases.values()].filter(({ id }) => !ids.has(id))) {
    erase(written, alias);
    unacknowledged += 1;
  }
  // An alias that is missing was erased only if its address is retired.
  expect(new Set(await retiredAddresses(store))).toEqual(written.erased);
  return unacknowledged;
};
