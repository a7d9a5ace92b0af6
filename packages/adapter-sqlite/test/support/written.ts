import { type Alias, EventId, type Store } from "@postern/core";
import { expect } from "vitest";
import { ACCOUNT, NOW } from "./samples.ts";

/** What a writer said it had been promised: each alias as last kept, and the events counted. */
export type Written = {
  readonly aliases: Map<string, Alias>;
  readonly events: Map<string, Set<string>>;
  /** How often each alias was counted before these events. */
  readonly counts: Map<string, number>;
};

export const nothingWritten = (): Written => ({ aliases: new Map(), events: new Map(), counts: new Map() });

type Line = {
  readonly kept?: Alias;
  readonly counted?: { readonly alias: string; readonly event: string };
};

/** Adds what the whole lines of `output` say, and tells how many writes they acknowledge. */
export const readLines = (written: Written, output: string): number => {
  // A line without its end was being said when the writer died.
  const lines = output.split("\n").slice(0, -1);
  const said = lines.map((line): Line => JSON.parse(line));
  for (const { kept, counted } of said) {
    if (kept !== undefined) written.aliases.set(kept.id, kept);
    if (counted !== undefined) {
      const events = written.events.get(counted.alias) ?? new Set();
      written.events.set(counted.alias, events.add(counted.event));
    }
  }
  return said.filter(({ kept, counted }) => kept !== undefined || counted !== undefined).length;
};

/**
 * Checks that all of it is there, whole, and takes up what is. One write more may be there: the one that
 * was kept when the writer died before it could say so. Returns how many are.
 */
export const expectKept = async (store: Store, written: Written): Promise<number> => {
  let more = 0;
  const found = (
    await Promise.all(
      [false, true].map((deleted) => store.aliases.list(ACCOUNT, { limit: 100, after: null }, { deleted })),
    )
  ).flatMap((page) => page._unsafeUnwrap().items);
  for (const alias of found) {
    const kept = written.aliases.get(alias.id);
    const { tallies: _, ...settings } = alias;
    if (alias.version === kept?.version) expect({ ...kept, tallies: alias.tallies }).toEqual(alias);
    else {
      expect(alias.version, settings.id).toBe((kept?.version ?? 0) + 1);
      more += 1;
    }
    const events = written.events.get(alias.id) ?? new Set();
    const count = (written.counts.get(alias.id) ?? 0) + events.size;
    expect(alias.tallies.sent.count).toBeGreaterThanOrEqual(count);
    more += alias.tallies.sent.count - count;
    for (const id of events) {
      const event = { id: EventId.parse(id), outcome: "sent", at: NOW } as const;
      expect(await store.aliases.recordOutcome(alias, event)).toMatchObject({ value: "repeated" });
    }
    written.aliases.set(alias.id, alias);
    written.events.delete(alias.id);
    written.counts.set(alias.id, alias.tallies.sent.count);
  }
  expect(new Set(found.map(({ id }) => String(id)))).toEqual(new Set(written.aliases.keys()));
  return more;
};
