import {
  type AccountId,
  Alias,
  type AliasId,
  err,
  ok,
  Recipient,
  type RecipientId,
  type Result,
  type Unavailable,
} from "@postern/core";
import type { Difference } from "@postern/core/store";
import { parseAddressItem } from "../address-item.ts";
import { parseAttachmentItem } from "../attachment-writes.ts";
import type { Database } from "../database.ts";
import { attachmentItemsOf, parseRecipientAddressItem } from "../recipient-item.ts";
import { Key, KeyRange, Partition, TALLY_ITEMS } from "../table.ts";
import { addressOfAlias } from "./alias-address.ts";
import { attachmentItem } from "./attachment-item.ts";
import { blockedSenderDoubts, blockedSenderLeadDoubts } from "./blocked-senders.ts";
import { contactDoubts, leadDoubts } from "./contacts.ts";
import { counter } from "./count.ts";
import { compareCounts, type StoredRecipient } from "./counts.ts";
import { destination } from "./destinations.ts";
import { messageDoubts } from "./messages.ts";
import { pagesOf, readAll } from "./pages.ts";
import { ask, parsedOrNull, type Question } from "./question.ts";
import { addressOfRecipient, recipientOfAddress } from "./recipient-address.ts";
import { leftoverSearchItems, missingSearchItems } from "./search-items.ts";
import { tallyItemsOf } from "./tally-items.ts";
import { unreadable } from "./unreadable.ts";
import { unreadableWebhooks } from "./webhooks.ts";

/** Doubts raised by pages that were read one after another, or differences that are certain. */
type Doubts = AsyncGenerator<Result<Question | Difference, Unavailable>>;

type Known = {
  readonly database: Database;
  readonly account: AccountId;
  readonly counting: ReturnType<typeof counter>;
  readonly recipients: Map<RecipientId, StoredRecipient>;
  /** Whether each alias has tally items. */
  readonly aliases: Map<AliasId, boolean>;
  /** The aliases of each recipient. */
  readonly attached: Map<RecipientId, Set<AliasId>>;
  readonly isSearchable: boolean;
  readonly now: () => number;
};

async function* recipientDoubts({ database, account, counting, recipients }: Known): Doubts {
  for await (const page of pagesOf(database, KeyRange.recipients(account))) {
    if (page.isErr()) return yield err(page.error);
    const found: Recipient[] = [];
    for (const item of page.value) {
      const recipient = counting.recipient(item);
      if (recipient === null) yield ok(unreadable(account, item));
      else {
        found.push(recipient);
        recipients.set(recipient.id, { recipient, listed: attachmentItemsOf(item) });
      }
    }
    const keys = found.map(({ email }) => Key.recipientAddress(account, email));
    const addresses = await readAll(database, keys);
    if (addresses.isErr()) return yield err(addresses.error);
    for (const [n, recipient] of found.entries()) {
      const item = addresses.value[n];
      if (parsedOrNull(parseRecipientAddressItem, item) !== recipient.id)
        yield ok(addressOfRecipient(database.table, recipient, item));
    }
  }
}

async function* reservationDoubts({ database, account, recipients }: Known): Doubts {
  const own = new Set(
    [...recipients.values()].map(({ recipient }) => Key.recipientAddress(account, recipient.email).sk),
  );
  for await (const page of pagesOf(database, KeyRange.recipientAddresses(account))) {
    if (page.isErr()) return yield err(page.error);
    for (const item of page.value) {
      const recipient = parsedOrNull(parseRecipientAddressItem, item);
      if (recipient === null) yield ok(unreadable(account, item));
      else if (!own.has(item.sk))
        yield ok(recipientOfAddress(database.table, account, Key.of(item), recipient));
    }
  }
}

async function* aliasDoubts({
  database,
  account,
  counting,
  recipients,
  aliases,
  attached,
  isSearchable,
  now,
}: Known): Doubts {
  const { table } = database;
  for await (const page of pagesOf(database, KeyRange.aliases(account))) {
    if (page.isErr()) return yield err(page.error);
    const found: Alias[] = [];
    for (const item of page.value) {
      const stored = counting.alias(item);
      if (stored === null) {
        yield ok(unreadable(account, item));
        continue;
      }
      found.push(stored.alias);
      aliases.set(stored.id, stored.hasTallyItems);
    }
    const addresses = await readAll(
      database,
      found.map(({ email }) => Key.address(email)),
    );
    if (addresses.isErr()) return yield err(addresses.error);
    const unsearchable = isSearchable ? await missingSearchItems(database, found) : ok([]);
    if (unsearchable.isErr()) return yield err(unsearchable.error);
    for (const doubt of unsearchable.value) yield ok(doubt);
    for (const [n, alias] of found.entries()) {
      const item = addresses.value[n];
      const place = parsedOrNull(parseAddressItem, item);
      if (place?.account !== account || place.id !== alias.id) yield ok(addressOfAlias(table, alias, item));
      for (const id of Alias.attachedRecipients(alias)) {
        attached.set(id, (attached.get(id) ?? new Set()).add(alias.id));
        const recipient = recipients.get(id)?.recipient;
        if (recipient === undefined || Recipient.ineligibility(recipient) !== null)
          yield ok(destination(table, alias, id, now));
      }
    }
  }
}

async function* tallyDoubts({ database, account, aliases }: Known): Doubts {
  const present = new Map<AliasId, number>();
  for await (const page of pagesOf(database, KeyRange.allTallies(account))) {
    if (page.isErr()) return yield err(page.error);
    for (const key of page.value) {
      const place = Partition.alias(key);
      if (place === null) yield ok(unreadable(account, key));
      else present.set(place.id, (present.get(place.id) ?? 0) + 1);
    }
  }
  for (const id of new Set([...aliases.keys(), ...present.keys()])) {
    if ((present.get(id) ?? 0) !== (aliases.get(id) ? TALLY_ITEMS : 0))
      yield ok(tallyItemsOf(database.table, { account, id }));
  }
}

async function* attachmentDoubts({ database, account, recipients, attached }: Known): Doubts {
  const { table } = database;
  const complete = new Map(
    [...attached].map(([id, aliases]) => {
      const stored = recipients.get(id);
      return [id, stored === undefined || stored.listed === aliases.size];
    }),
  );
  for await (const page of pagesOf(database, KeyRange.allAttachments(account))) {
    if (page.isErr()) return yield err(page.error);
    for (const item of page.value) {
      const pair = parsedOrNull(parseAttachmentItem, item);
      if (pair === null) yield ok(unreadable(account, item));
      else if (!attached.get(pair.recipient)?.delete(pair.alias))
        yield ok(attachmentItem(table, { account, id: pair.alias }, pair.recipient));
    }
  }
  for (const [recipient, aliases] of attached) {
    // If the recipient does not claim to have all its items, `compareCounts` reports that.
    if (!complete.get(recipient)) continue;
    for (const id of aliases) yield ok(attachmentItem(table, { account, id }, recipient));
  }
}

async function* searchDoubts({ database, account, isSearchable }: Known): Doubts {
  if (!isSearchable) return;
  for await (const page of pagesOf(database, KeyRange.allSearch(account))) {
    if (page.isErr()) return yield err(page.error);
    for (const item of page.value) if (Partition.sought(item) === null) yield ok(unreadable(account, item));
    const leftovers = await leftoverSearchItems(database, account, page.value);
    if (leftovers.isErr()) return yield err(leftovers.error);
    for (const doubt of leftovers.value) yield ok(doubt);
  }
}

async function* doubtsAboutContacts({ database, account }: Known): Doubts {
  for (const [range, doubtsOf] of [
    [KeyRange.allContacts(account), contactDoubts],
    [KeyRange.allContactPositions(account), leadDoubts],
  ] as const) {
    for await (const page of pagesOf(database, range)) {
      if (page.isErr()) return yield err(page.error);
      const doubts = await doubtsOf(database, page.value);
      if (doubts.isErr()) return yield err(doubts.error);
      for (const doubt of doubts.value) yield ok(doubt);
    }
  }
}

/** Items that lead to nothing come first: once they are removed, the right ones may be missing. */
async function* doubtsAboutBlockedSenders({ database, account }: Known): Doubts {
  for (const [range, doubtsOf] of [
    [KeyRange.blockedSenderLeads(account), blockedSenderLeadDoubts],
    [KeyRange.blockedSenders(account), blockedSenderDoubts],
  ] as const) {
    for await (const page of pagesOf(database, range)) {
      if (page.isErr()) return yield err(page.error);
      const doubts = await doubtsOf(database, account, page.value);
      if (doubts.isErr()) return yield err(doubts.error);
      for (const doubt of doubts.value) yield ok(doubt);
    }
  }
}

async function* doubtsAboutMessages({ database, account }: Known): Doubts {
  for await (const page of pagesOf(database, KeyRange.allMessages(account))) {
    if (page.isErr()) return yield err(page.error);
    const doubts = await messageDoubts(database, account, page.value);
    if (doubts.isErr()) return yield err(doubts.error);
    for (const doubt of doubts.value) yield ok(doubt);
  }
}

async function* doubtsAboutWebhooks({ database, account }: Known): Doubts {
  const found = await unreadableWebhooks(database, account);
  if (found.isErr()) return yield err(found.error);
  for (const difference of found.value) yield ok(difference);
}

/**
 * What differs in the partition of one account, and between it and the addresses of its aliases.
 *
 * @param isSearchable whether all aliases of the table should have their search items
 */
export async function* differencesOfAccount(
  database: Database,
  account: AccountId,
  isSearchable: boolean,
  now: () => number,
): AsyncGenerator<Result<Difference, Unavailable>> {
  const known: Known = {
    database,
    account,
    counting: counter(),
    recipients: new Map(),
    aliases: new Map(),
    attached: new Map(),
    isSearchable,
    now,
  };
  for (const doubts of [
    recipientDoubts,
    reservationDoubts,
    aliasDoubts,
    attachmentDoubts,
    tallyDoubts,
    searchDoubts,
    doubtsAboutContacts,
    doubtsAboutBlockedSenders,
    doubtsAboutMessages,
    doubtsAboutWebhooks,
  ]) {
    for await (const doubt of doubts(known)) {
      const answer = doubt.isOk() && "keys" in doubt.value ? await ask(database, doubt.value) : doubt;
      if (answer.isErr()) return yield err(answer.error);
      if (answer.value !== null && "remedy" in answer.value) yield ok(answer.value);
    }
  }
  const wrong = await compareCounts(database, account, known.counting.count(), known.recipients);
  if (wrong.isErr()) return yield err(wrong.error);
  for (const difference of wrong.value) yield ok(difference);
}
