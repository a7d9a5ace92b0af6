import type { Arguments, Data, Failure, OperationId, Operations, Problem } from "./operations.ts";

export type AskForToken = (ask: { readonly renew: boolean }) => string | Promise<string>;

export type ClientSettings = {
  /**
   * Where the API is, such as `https://post.example/v1`. `http://` is refused, except on this machine, because the token would be sent in
   * the clear.
   */
  readonly baseUrl: string;
  /**
   * An ID token, or a function that supplies one before each request. After a 401, the function is asked once with `renew: true`, for all
   * requests that wait, and they are sent once more.
   */
  readonly token: string | AskForToken;
  /** By default, the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
};

/** Lists with pages, and what a page calls its items. */
export const LISTS = {
  allAliases: { pages: "listAliases", items: "aliases" },
  allBlockedSenders: { pages: "listBlockedSenders", items: "blocked_senders" },
  allContacts: { pages: "listContacts", items: "contacts" },
  allMessages: { pages: "listMessages", items: "messages" },
  allRecipients: { pages: "listRecipients", items: "recipients" },
} as const satisfies Record<string, { readonly pages: OperationId; readonly items: string }>;

type Items<Page, Name extends string> = Page extends { readonly [Key in Name]: readonly (infer Item)[] }
  ? Item
  : never;

export type ListId = keyof typeof LISTS;

/** What a list consists of. */
export type Item<Id extends ListId> = Items<Data<(typeof LISTS)[Id]["pages"]>, (typeof LISTS)[Id]["items"]>;

/** An item, or why there are no further ones: a failure is the last. */
export type Listed<Id extends ListId> =
  | { readonly ok: true; readonly data: Item<Id> }
  | Failure<Problem<(typeof LISTS)[Id]["pages"]>>;

/** All items of a list. The next page is requested when its first item is. */
export type Lists = {
  readonly [Id in ListId]: (
    ...input: Arguments<(typeof LISTS)[Id]["pages"]>
  ) => AsyncIterableIterator<Listed<Id>>;
};

/** The aliases in which the recipient was replaced, and in how many it still is: 0, unless others attach it meanwhile. */
export type Reassigned = { readonly reassigned: readonly string[]; readonly remaining: number };

export type Client = Operations &
  Lists & {
    /** Replaces a recipient in all its aliases. Safe to repeat after a failure: finished aliases are skipped. */
    readonly reassignAll: (
      recipientId: string,
      replacementId: string,
      options?: { readonly signal?: AbortSignal | undefined },
    ) => Promise<{ readonly ok: true; readonly data: Reassigned } | Failure<Problem<"reassignRecipient">>>;
  };
