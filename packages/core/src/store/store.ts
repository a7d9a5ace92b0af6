import type { Suspensions } from "../account/suspensions.ts";
import type { Aliases } from "../alias/aliases.ts";
import type { ApiKeys } from "../api-key/api-keys.ts";
import type { Creations } from "../creation/creations.ts";
import type { HandedReports } from "../message-log/handed-reports.ts";
import type { MessageLog } from "../message-log/message-log.ts";
import type { Resends } from "../message-log/resends.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { MailLedger } from "../recipient/mail-ledger.ts";
import type { Recipients } from "../recipient/recipients.ts";
import type { BlockedSenders } from "../senders/blocked-senders.ts";
import type { Contacts } from "../senders/contacts.ts";
import type { AccountId } from "../values/identifiers.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { Outbox } from "../webhook/outbox.ts";
import type { Webhooks } from "../webhook/webhooks.ts";

/** What every store has. One store holds aliases and recipients, because the rules span them. */
export type BaseStore = {
  readonly aliases: Aliases;
  readonly recipients: Recipients;
  readonly mailLedger: MailLedger;
  readonly creations: Creations;
  /**
   * Checks that the store can be read and written at the moment; otherwise `unavailable`. Does so by reading and writing: the write must be
   * cheap, reach the same place as other writes, and change nothing that another call returns. Any number of calls can run concurrently.
   */
  ping(): PortResult<void>;
};

/** What a store can have besides. Without a part, a service lacks its operations, and nothing else changes. */
export type StoreParts = {
  readonly contacts: Pick<Store, "contacts">;
  readonly blockedSenders: Pick<Store, "blockedSenders">;
  readonly messages: Pick<Store, "messageLog" | "resends">;
  /** No operation of a service needs it: only `@postern/mail` does, where several servers receive mail. */
  readonly handedReports: Pick<Store, "handedReports">;
  readonly webhooks: Pick<Store, "webhooks" | "outbox">;
  readonly apiKeys: Pick<Store, "apiKeys">;
  readonly suspensions: Pick<Store, "suspensions">;
};

/** A store with all parts. */
export type Store = BaseStore & {
  readonly contacts: Contacts;
  readonly blockedSenders: BlockedSenders;
  readonly messageLog: MessageLog;
  readonly resends: Resends;
  readonly handedReports: HandedReports;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly apiKeys: ApiKeys;
  readonly suspensions: Suspensions;
  /**
   * The accounts that have an alias, a recipient, a blocked sender, a webhook, an API key or a suspension, each once, in an order of the
   * store's choice. A store does a bounded amount of work for each page, so a page can be short or empty even though `next` is not null.
   * `next` always advances. For programs that move or list everything; no operation calls it.
   */
  accounts(page: PageRequest<AccountsCursor>): PortResult<Page<AccountId, AccountsCursor>>;
};

/** A store with any parts. */
export type AnyStore = BaseStore & Partial<Store>;

/**
 * Where a list of accounts continues: text that only the store that returned it understands. It need not be an account, because
 * finding the next one can take many requests.
 */
export type AccountsCursor = string;
