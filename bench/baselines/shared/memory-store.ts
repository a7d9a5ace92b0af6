import { type AliasJson, aliasJson } from "../../support/alias-json.ts";
import { aliasesOf, type Fixture, recipientsOf } from "../../support/fixture.ts";

/* Aliases and recipients in maps, as one would write it without Postern. The baselines on memory share it. */

type Recipient = {
  readonly email: string;
  readonly verified: boolean;
  readonly active: boolean;
  attached: number;
};
type Alias = { recipientIds: readonly string[]; version: number; readonly json: AliasJson };
type Account = {
  readonly aliases: Map<string, Alias>;
  /** The same, in the order of their ids. */
  readonly inOrder: { readonly id: string; readonly alias: Alias }[];
  readonly recipients: Map<string, Recipient>;
};

/** An alias and its version, or why it was not changed. */
export type Replaced =
  | { readonly json: AliasJson; readonly version: number }
  | { readonly failure: "not_found" | "deleted" }
  | { readonly failure: "ineligible"; readonly ids: readonly string[] };

export type Store = {
  /** Makes `ids` the recipients of the alias. */
  replace(account: string, alias: string, ids: readonly string[]): Replaced;
  /** The newest aliases older than `after`, or the newest of all if that is null. */
  list(account: string, limit: number, after: string | null): Page;
};

/** A page of the aliases that are not deleted, and the id of the last of them if there are more. */
export type Page = { readonly aliases: readonly AliasJson[]; readonly next: string | null };

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, n) => id === b[n]);

export const memoryStore = (fixture: Fixture): Store => {
  const accounts = new Map<string, Account>();
  const accountOf = (name: string): Account => {
    const known = accounts.get(name) ?? { aliases: new Map(), inOrder: [], recipients: new Map() };
    accounts.set(name, known);
    return known;
  };
  for (const { account, id, email, verified } of recipientsOf(fixture)) {
    accountOf(account).recipients.set(id, { email, verified, active: true, attached: 0 });
  }
  for (const each of aliasesOf(fixture)) {
    const { aliases, inOrder, recipients } = accountOf(each.account);
    const recipientIds = each.recipients.map(({ id }) => id);
    const alias = { recipientIds, version: 1, json: aliasJson(each) };
    aliases.set(each.id, alias);
    inOrder.push({ id: each.id, alias });
    for (const id of recipientIds) {
      const recipient = recipients.get(id);
      if (recipient !== undefined) recipient.attached += 1;
    }
  }

  return {
    replace: (account, id, requested) => {
      const own = accounts.get(account);
      const alias = own?.aliases.get(id);
      if (own === undefined || alias === undefined) return { failure: "not_found" };
      if (alias.json.datetime_deleted !== null) return { failure: "deleted" };
      const ids = [...new Set(requested)];
      const chosen: Recipient[] = [];
      const ineligible: string[] = [];
      for (const each of ids) {
        const recipient = own.recipients.get(each);
        if (recipient?.verified && recipient.active) chosen.push(recipient);
        else ineligible.push(each);
      }
      if (ineligible.length > 0) return { failure: "ineligible", ids: ineligible };
      if (same(alias.recipientIds, ids)) return alias;
      for (const each of alias.recipientIds) {
        const recipient = own.recipients.get(each);
        if (recipient !== undefined) recipient.attached -= 1;
      }
      for (const recipient of chosen) recipient.attached += 1;
      alias.recipientIds = ids;
      alias.version += 1;
      alias.json.destination_emails = chosen.map(({ email }) => email);
      alias.json.datetime_updated = Date.now();
      return alias;
    },

    list: (account, limit, after) => {
      const inOrder = accounts.get(account)?.inOrder ?? [];
      let end = inOrder.length;
      if (after !== null) {
        let start = 0;
        while (start < end) {
          const middle = (start + end) >> 1;
          if ((inOrder[middle]?.id ?? "") < after) start = middle + 1;
          else end = middle;
        }
      }
      const found: AliasJson[] = [];
      for (let n = end - 1; n >= 0; n -= 1) {
        const json = inOrder[n]?.alias.json;
        if (json === undefined || json.datetime_deleted !== null) continue;
        if (found.length === limit) return { aliases: found, next: found.at(-1)?.alias_id ?? null };
        found.push(json);
      }
      return { aliases: found, next: null };
    },
  };
};
