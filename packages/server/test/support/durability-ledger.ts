import { expect } from "vitest";
import { Alias, canBecome, isResultOf, type Write } from "./durability-writes.ts";

/** Whether a recipient is active, as a client asked for it. */
export type Toggle = { readonly kind: "toggle"; readonly id: string; readonly active: boolean };

/** A recipient as the API shows it. */
export type Shown = {
  readonly recipient_id: string;
  readonly recipient_email: string;
  readonly verified: boolean;
  readonly active: boolean;
  readonly alias_count: number;
};

/** What clients were promised, and what they asked for and heard nothing of. */
export const newLedger = () => {
  /** Each alias as its newest acknowledged write left it, and at which version. */
  let aliases = new Map<string, { readonly version: number; readonly alias: Alias }>();
  /** Which recipients are inactive, by what was acknowledged last. */
  let inactive = new Set<string>();
  /** Asked for, and not answered. */
  const open = new Set<Write | Toggle>();
  const acknowledged = { create: 0, replace: 0, patch: 0, delete: 0, restore: 0, toggle: 0 };

  const unanswered = (alias: Alias): readonly Write[] =>
    [...open].filter(
      (write): write is Write =>
        write.kind !== "toggle" &&
        (write.kind === "create" ? write.email === alias.alias_email : write.id === alias.alias_id),
    );

  /** That everything promised is there, and nothing that nobody asked for. Whatever is there is promised from now on. */
  const expectKept = (found: readonly Alias[], recipients: readonly Shown[]): void => {
    const missing = new Set(aliases.keys());
    for (const alias of found) {
      missing.delete(alias.alias_id);
      const kept = aliases.get(alias.alias_id)?.alias;
      const maybe = unanswered(alias);
      if (kept === undefined) expect(maybe.some((write) => isResultOf(write, alias))).toBe(true);
      else if (maybe.length === 0) expect(alias).toEqual(kept);
      else {
        const { alias_email, datetime_created } = kept;
        expect(alias).toMatchObject({ alias_email, datetime_created });
        expect(canBecome(kept, maybe, alias), JSON.stringify({ kept, maybe, alias })).toBe(true);
      }
    }
    expect([...missing]).toEqual([]);
    for (const { recipient_id: id, active } of recipients) {
      const maybe = [...open].some((toggle) => toggle.kind === "toggle" && toggle.id === id);
      if (!maybe) expect({ id, active }).toEqual({ id, active: !inactive.has(id) });
    }
    aliases = new Map(found.map((alias) => [alias.alias_id, { version: 0, alias }]));
    inactive = new Set(recipients.filter(({ active }) => !active).map(({ recipient_id }) => recipient_id));
    open.clear();
  };

  return {
    acknowledged,
    expectKept,
    alias: (id: string): Alias | undefined => aliases.get(id)?.alias,
    aliases: (): readonly Alias[] => [...aliases.values()].map(({ alias }) => alias),
    isActive: (recipient: string): boolean => !inactive.has(recipient),
    asked: (write: Write | Toggle): void => void open.add(write),
    refused: (write: Write | Toggle): void => void open.delete(write),
    /** The answer says what the write made of the alias. Answers overtake each other; versions tell which is newer. */
    kept: (write: Write, answer: unknown, version: number): Alias => {
      const alias = Alias.parse(answer);
      expect(isResultOf(write, alias), JSON.stringify({ write, alias })).toBe(true);
      const newest = aliases.get(alias.alias_id);
      if (newest?.version === version) expect(alias).toEqual(newest.alias);
      if (version > (newest?.version ?? 0)) aliases.set(alias.alias_id, { version, alias });
      open.delete(write);
      acknowledged[write.kind] += 1;
      return alias;
    },
    toggled: (toggle: Toggle): void => {
      if (toggle.active) inactive.delete(toggle.id);
      else inactive.add(toggle.id);
      open.delete(toggle);
      acknowledged.toggle += 1;
    },
  };
};
export type Ledger = ReturnType<typeof newLedger>;
