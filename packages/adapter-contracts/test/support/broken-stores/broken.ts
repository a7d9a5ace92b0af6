import { memoryStore } from "@postern/adapter-memory";
import type { Alias, Result, Store } from "@postern/core";
import type {
  Aliases,
  BlockedSenders,
  Contacts,
  MailLedger,
  MessageLog,
  Outbox,
  Recipients,
  Resends,
  Suspensions,
  Webhooks,
} from "@postern/core/store";

/** A store with one flaw: a mistake that the author of an adapter might make. */
export type Broken = {
  readonly flaw: string;
  /** The checks that must notice it, each on its own. */
  readonly noticedBy: readonly string[];
  /** Text that the failure's message must contain. */
  readonly says?: string;
  open(): Store & { close?(): Promise<void> };
};

/** The correct store with some ports of `aliases` replaced. */
export const aliases =
  (flawed: (real: Aliases, store: Store) => Partial<Aliases>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, aliases: { ...store.aliases, ...flawed(store.aliases, store) } };
  };

/** The correct store with some ports of `recipients` replaced. */
export const recipients =
  (flawed: (real: Recipients, store: Store) => Partial<Recipients>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, recipients: { ...store.recipients, ...flawed(store.recipients, store) } };
  };

/** The correct store with some ports of `contacts` replaced. */
export const contacts =
  (flawed: (real: Contacts, store: Store) => Partial<Contacts>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, contacts: { ...store.contacts, ...flawed(store.contacts, store) } };
  };

/** The correct store with some ports of `blockedSenders` replaced. */
export const blockedSenders =
  (flawed: (real: BlockedSenders) => Partial<BlockedSenders>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, blockedSenders: { ...store.blockedSenders, ...flawed(store.blockedSenders) } };
  };

/** The correct store with some ports of `messageLog` replaced. */
export const messageLog =
  (flawed: (real: MessageLog, store: Store) => Partial<MessageLog>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, messageLog: { ...store.messageLog, ...flawed(store.messageLog, store) } };
  };

/** The correct store with some ports of `resends` replaced. */
export const resends =
  (flawed: (real: Resends) => Partial<Resends>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, resends: { ...store.resends, ...flawed(store.resends) } };
  };

/** The correct store with some ports of `webhooks` replaced. */
export const webhooks =
  (flawed: (real: Webhooks, store: Store) => Partial<Webhooks>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, webhooks: { ...store.webhooks, ...flawed(store.webhooks, store) } };
  };

/** The correct store with some ports of `outbox` replaced. */
export const outbox =
  (flawed: (real: Outbox) => Partial<Outbox>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, outbox: { ...store.outbox, ...flawed(store.outbox) } };
  };

/** The correct store with some ports of `mailLedger` replaced. */
export const mailLedger =
  (flawed: (real: MailLedger) => Partial<MailLedger>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, mailLedger: { ...store.mailLedger, ...flawed(store.mailLedger) } };
  };

/** The correct store with some ports of `suspensions` replaced. */
export const suspensions =
  (flawed: (real: Suspensions, store: Store) => Partial<Suspensions>): Broken["open"] =>
  () => {
    const store = memoryStore();
    return { ...store, suspensions: { ...store.suspensions, ...flawed(store.suspensions, store) } };
  };

/** The stored alias, at any version. */
export const storedAlias = async (
  real: Aliases,
  { account, id }: Pick<Alias, "account" | "id">,
): Promise<Alias | null> =>
  (await real.findWithRecipients(account, id, [])).match(
    ({ alias }) => alias,
    () => null,
  );

/** Every way to read an alias, with `change` applied to the result. */
export const readAliases = (
  real: Aliases,
  change: (alias: Alias) => Alias,
): Pick<Aliases, "findWithRecipients" | "findByEmail" | "list"> => ({
  findWithRecipients: async (account, id, ids) =>
    (await real.findWithRecipients(account, id, ids)).map(({ alias, recipients }) => ({
      alias: alias && change(alias),
      recipients,
    })),
  findByEmail: async (email) => (await real.findByEmail(email)).map((alias) => alias && change(alias)),
  list: async (account, page, filter) =>
    (await real.list(account, page, filter)).map(({ items, next }) => ({ items: items.map(change), next })),
});

export const keyOf = ({ account, id }: { readonly account: string; readonly id: string }): string =>
  JSON.stringify([account, id]);

export const codeOf = (result: Result<unknown, { readonly code: string }>): string | null =>
  result.isErr() ? result.error.code : null;
