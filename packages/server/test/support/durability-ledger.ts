import { expect } from "vitest";
import { Alias, canBecome, isResultOf, type Write } from "./durability-writes.ts";

/** A request to activate or deactivate a recipient. */
export type Toggle = { readonly kind: "toggle"; readonly id: string; readonly active: boolean };

/** A recipient in a response. */
export type Shown = {
  readonly recipient_id: string;
  readonly recipient_email: string;
  readonly verified: boolean;
  readonly active: boolean;
  readonly alias_count: number;
};

/** Which writes were acknowledged, and which were requested but have an unknown outcome. */
export const newLedger = () => {
  /** Each alias after its latest acknowledged write, with its version. */
  let aliases = new Map<string, { readonly version: number; readonly alias: Alias }>();
  /** The recipients whose latest acknowledged toggle deactivated them. */
  let inactive = new Set<string>();
  /** Requested, without a response. */
  const open = new Set<Write | Toggle>();
  const acknowledged = { create: 0, replace: 0, patch: 0, delete: 0, restore: 0, toggle: 0 };

  const pendingFor = (alias: Alias): readonly Write[] =>
    [...open].filter(
      (write): write is Write =>
        write.kind !== "toggle" &&
        (write.kind === "create" ? write.email === alias.alias_email : write.id === alias.alias_id),
    );

  /**
   * Checks that every acknowledged write is stored, and nothing that was not requested. Then treats what is stored as
   * acknowledged.
   */
  const expectStored = (found: readonly Alias[], recipients: readonly Shown[]): void => {
    const missing = new Set(aliases.keys());
    for (const alias of found) {
      missing.delete(alias.alias_id);
      const known = aliases.get(alias.alias_id)?.alias;
      const pending = pendingFor(alias);
      if (known === undefined) expect(pending.some((write) => isResultOf(write, alias))).toBe(true);
      else if (pending.length === 0) expect(alias).toEqual(known);
      else {
        const { alias_email, datetime_created } = known;
        expect(alias).toMatchObject({ alias_email, datetime_created });
        expect(canBecome(known, pending, alias), JSON.stringify({ known, pending, alias })).toBe(true);
      }
    }
    expect([...missing]).toEqual([]);
    for (const { recipient_id: id, active } of recipients) {
      const pending = [...open].some((toggle) => toggle.kind === "toggle" && toggle.id === id);
      if (!pending) expect({ id, active }).toEqual({ id, active: !inactive.has(id) });
    }
    aliases = new Map(found.map((alias) => [alias.alias_id, { version: 0, alias }]));
    inactive = new Set(recipients.filter(({ active }) => !active).map(({ recipient_id }) => recipient_id));
    open.clear();
  };

  return {
    acknowledged,
    expectStored,
    alias: (id: string): Alias | undefined => aliases.get(id)?.alias,
    aliases: (): readonly Alias[] => [...aliases.values()].map(({ alias }) => alias),
    isActive: (recipient: string): boolean => !inactive.has(recipient),
    requested: (write: Write | Toggle): void => void open.add(write),
    rejected: (write: Write | Toggle): void => void open.delete(write),
    /** `body` is the alias after the write. Responses can overtake each other: versions tell which is newer. */
    acknowledge: (write: Write, body: unknown, version: number): Alias => {
      const alias = Alias.parse(body);
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
