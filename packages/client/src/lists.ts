import type { Outcome } from "./answer.ts";
import type { Arguments, Data, Failure, OperationId, Problem } from "./operations.ts";
import { failure, unreachable } from "./problems.ts";
import type { Input } from "./request.ts";

/** Lists with pages, and what a page calls its items. */
export const LISTS = {
  /** All aliases that match, newest first. */
  allAliases: { pages: "listAliases", items: "aliases" },
  /** All blocked senders, in no particular order. */
  allBlockedSenders: { pages: "listBlockedSenders", items: "blocked_senders" },
  /** All contacts of an alias. */
  allContacts: { pages: "listContacts", items: "contacts" },
  /** All messages in the log of an alias, newest first. */
  allMessages: { pages: "listMessages", items: "messages" },
  /** All recipients, newest first. */
  allRecipients: { pages: "listRecipients", items: "recipients" },
} as const satisfies Readonly<Record<string, { readonly pages: OperationId; readonly items: string }>>;

export type ListId = keyof typeof LISTS;

type Pages<Id extends ListId> = (typeof LISTS)[Id]["pages"];

type Member<Page, Name extends string> = Page extends { readonly [Key in Name]: readonly (infer Item)[] }
  ? Item
  : never;

/** What a list consists of. */
export type Item<Id extends ListId> = Member<Data<Pages<Id>>, (typeof LISTS)[Id]["items"]>;

/** An item; or why there are no further ones, which is the last that a list yields. */
export type Listed<Id extends ListId> =
  | { readonly ok: true; readonly data: Item<Id> }
  | Failure<Problem<Pages<Id>>>;

/** All items of a list. A page is requested when its first item is. */
export type Lists = {
  readonly [Id in keyof typeof LISTS]: (...input: Arguments<Pages<Id>>) => AsyncIterableIterator<Listed<Id>>;
};

type Page = { readonly items: readonly unknown[]; readonly next: string | null };

const pageOf = (data: unknown, name: string): Page | null => {
  const { [name]: items, next_cursor: next } = data as Readonly<Record<string, unknown>>;
  return Array.isArray(items) && (typeof next === "string" || next === null) ? { items, next } : null;
};

/** The items of all pages, however short they are: only the cursor says which page is the last. */
export async function* allItems(
  request: (input: Input) => Promise<Outcome>,
  name: string,
  input: Input,
): AsyncGenerator<{ readonly ok: true; readonly data: unknown } | Failure<Problem>, void> {
  for (let value = input.value; ; ) {
    const outcome = await request({ ...input, value });
    if (!outcome.ok) return yield outcome;
    const page = pageOf(outcome.data, name);
    if (page === null) return yield failure(unreachable("not_the_api", null));
    for (const data of page.items) yield { ok: true, data };
    if (page.next === null) return;
    value = { ...Object(value), cursor: page.next };
  }
}
