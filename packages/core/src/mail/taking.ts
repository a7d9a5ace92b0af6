import type { Copy } from "./copy.ts";

/* How spools choose the copies that they hand out: see `Spool.take`. */

/** What the copies that are handed out together have in common: their message and, if they have one, their alias. */
export const groupOf = ({ message, purpose }: Copy): string =>
  purpose.kind === "forward"
    ? JSON.stringify([message, purpose.alias.account, purpose.alias.id])
    : JSON.stringify([message]);

/** The account whose turn it is when the copy is handed out; empty if it belongs to none. */
export const partyOf = ({ purpose }: Pick<Copy, "purpose">): string => {
  switch (purpose.kind) {
    case "forward":
      return purpose.alias.account;
    case "verification":
      return purpose.account;
    case "postmaster":
    case "notice":
      return "";
  }
};

/**
 * Up to `limit` items: one group of each party after the other, in turns, until there are no more. The last group may be cut.
 * `last` is the party that it belongs to; null if there are none.
 */
export const takeInTurns = <Item>(
  groupsOf: ReadonlyMap<string, Iterator<readonly Item[]>>,
  limit: number,
): { readonly items: readonly Item[]; readonly last: string | null } => {
  const waiting = new Map(groupsOf);
  const items: Item[] = [];
  let last: string | null = null;
  while (waiting.size > 0 && items.length < limit) {
    for (const [party, groups] of waiting) {
      if (items.length >= limit) break;
      const next = groups.next();
      if (next.done) waiting.delete(party);
      else {
        items.push(...next.value.slice(0, limit - items.length));
        last = party;
      }
    }
  }
  return { items, last };
};
