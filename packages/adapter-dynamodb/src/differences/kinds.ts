import { type AccountId, Alias, err, ok, type Result } from "@postern/core";
import type { DerivedKind, Place } from "@postern/core/store";
import { newAddressItem, parseAddressItem, retiredAddressItem } from "../address-item.ts";
import { parseAliasItem, TALLIES_APART } from "../alias-item.ts";
import { parseAnnouncementItem } from "../announcement-item.ts";
import { apiKeyLead, apiKeysItem, parseApiKeyLead } from "../api-keys-item.ts";
import { parseAttachmentItem } from "../attachment-writes.ts";
import { leadTo, parseBlockedSenderItem, parseBlockedSenderLead } from "../blocked-sender-item.ts";
import { contactOfLead, leadsTo, parseContactItem, parseContactLead } from "../contact-item.ts";
import type { StoredItem } from "../item.ts";
import { parseMessageItem } from "../message-item.ts";
import { newRecipientAddressItem, parseRecipientAddressItem, parseRecipientItem } from "../recipient-item.ts";
import { parseRetiredItem } from "../retired-addresses.ts";
import { parseSearchItem, searchItems } from "../search-items.ts";
import { Key, KeyRange, Partition, SCHEMA, TALLY_ITEMS } from "../table.ts";
import { parseTurnsItem } from "../turns-item.ts";
import { webhooksItem } from "../webhooks-item.ts";

/** What items follow from others as. Contacts and messages only need their alias to exist. */
export type Kind = DerivedKind | "contacts" | "logged_messages";

/** An item that has to exist, with at least these attributes, because another one does. */
export type Implied = {
  readonly kind: DerivedKind;
  readonly item: Key & Readonly<Record<string, unknown>>;
  /** Whether the item that implies this one is wrong, and removed, if another one implies it too. Otherwise the operator decides. */
  readonly yields?: true;
  /** The key of an item that must not exist besides. */
  readonly excludes?: Key;
};

/** What an item means. */
export type Reading = {
  readonly place: Place;
  /** The item from which this one follows, and as what; null if it follows from none. */
  readonly follows: { readonly kind: Kind; readonly source: Key } | null;
  readonly implies: readonly Implied[];
};

type Reader = (item: StoredItem) => Result<Reading, unknown>;

const placeOf = (
  account: string | null,
  alias: string | null = null,
  recipient: string | null = null,
): Place => ({
  account,
  alias,
  recipient,
});

const source = (place: Place, ...implies: readonly Implied[]): Reading => ({ place, follows: null, implies });

const follower = (place: Place, kind: Kind, of: Key, ...implies: readonly Implied[]): Reading => ({
  place,
  follows: { kind, source: of },
  implies,
});

const aliasReading = (alias: Alias): Reading => {
  const { account, id } = alias;
  return source(
    placeOf(account, id),
    { kind: "address", item: newAddressItem(alias), excludes: Key.retired(alias.email) },
    { kind: "tallies", item: { ...Key.alias(account, id), [TALLIES_APART]: TALLY_ITEMS } },
    ...Key.tallies(account, id).map(
      (key) => ({ kind: "tallies", item: { ...key, schema: SCHEMA } }) as const,
    ),
    ...Alias.attachedRecipients(alias).map(
      (recipient) =>
        ({
          kind: "attachment",
          item: { ...Key.attachment(account, recipient, id), schema: SCHEMA },
        }) as const,
    ),
    ...searchItems(alias).map((item) => ({ kind: "search", item }) as const),
  );
};

const readContactLead: Reader = (item) =>
  parseContactLead(item).map((lead) =>
    follower(placeOf(lead.alias.account, lead.alias.id), "contact", contactOfLead(lead)),
  );

/** The items of an account, one kind after the other: sources come before what follows from them. */
export const IN_ACCOUNT: readonly {
  readonly range: (account: AccountId) => KeyRange;
  readonly reader: (account: AccountId) => Reader;
}[] = [
  {
    range: KeyRange.recipients,
    reader: () => (item) =>
      parseRecipientItem(item).map((recipient) =>
        source(placeOf(recipient.account, null, recipient.id), {
          kind: "recipient-address",
          item: newRecipientAddressItem(recipient),
        }),
      ),
  },
  {
    range: KeyRange.recipientAddresses,
    reader: (account) => (item) =>
      parseRecipientAddressItem(item).map((id) =>
        follower(placeOf(account, null, id), "recipient-address", Key.recipient(account, id)),
      ),
  },
  {
    range: KeyRange.aliases,
    reader: () => (item) => parseAliasItem(item).map(({ alias }) => aliasReading(alias)),
  },
  {
    range: KeyRange.allAttachments,
    reader: (account) => (item) =>
      parseAttachmentItem(item).map(({ alias, recipient }) =>
        follower(placeOf(account, alias, recipient), "attachment", Key.alias(account, alias)),
      ),
  },
  {
    range: KeyRange.allTallies,
    reader: (account) => (item) => {
      const alias = Partition.alias(item);
      return alias === null
        ? err("corrupt")
        : ok(follower(placeOf(account, alias.id), "tallies", Key.alias(account, alias.id)));
    },
  },
  {
    range: KeyRange.allSearch,
    reader: (account) => (item) =>
      parseSearchItem(item).map(({ id }) => follower(placeOf(account, id), "search", Key.alias(account, id))),
  },
  {
    range: KeyRange.allContacts,
    reader: (account) => (item) =>
      parseContactItem(item).map(({ contact }) =>
        follower(
          placeOf(account, contact.alias),
          "contacts",
          Key.alias(account, contact.alias),
          ...leadsTo(contact).map((lead) => ({ kind: "contact", item: lead }) as const),
        ),
      ),
  },
  { range: KeyRange.allContactPositions, reader: () => readContactLead },
  {
    range: KeyRange.blockedSenders,
    reader: (account) => (item) =>
      parseBlockedSenderItem(item).map((blocked) =>
        source(placeOf(account), { kind: "blocked-sender", item: leadTo(blocked), yields: true }),
      ),
  },
  {
    range: KeyRange.blockedSenderLeads,
    reader: (account) => (item) =>
      parseBlockedSenderLead(item).map((id) =>
        follower(placeOf(account), "blocked-sender", Key.blockedSender(account, id)),
      ),
  },
  {
    range: KeyRange.allMessages,
    reader: (account) => (item) =>
      parseMessageItem(item).map(({ alias }) =>
        follower(placeOf(account, alias), "logged_messages", Key.alias(account, alias)),
      ),
  },
  {
    range: (account) => ({ pk: Key.webhooks(account).pk, prefix: Key.webhooks(account).sk }),
    reader: (account) => (item) => webhooksItem.parse(item).map(() => source(placeOf(account))),
  },
  {
    range: (account) => ({ pk: Key.apiKeys(account).pk, prefix: Key.apiKeys(account).sk }),
    reader: (account) => (item) =>
      apiKeysItem
        .parse(item)
        .map(({ all }) =>
          source(
            placeOf(account),
            ...all.map((apiKey) => ({ kind: "api-key", item: apiKeyLead(apiKey) }) as const),
          ),
        ),
  },
];

/** The items that are in partitions of their own. */
const ELSEWHERE: Readonly<Record<Exclude<ReturnType<typeof Partition.kind>, "account" | "other">, Reader>> = {
  address: (item) =>
    parseAddressItem(item).map((alias) =>
      alias === null
        ? source(placeOf(null))
        : follower(placeOf(alias.account, alias.id), "address", Key.alias(alias.account, alias.id)),
    ),
  retired: (item) =>
    parseRetiredItem(item).map(() =>
      source(placeOf(null), {
        kind: "address",
        item: retiredAddressItem(Key.addressOfRetired(item)),
        yields: true,
      }),
    ),
  contact: readContactLead,
  "api-key": (item) =>
    parseApiKeyLead(item).map((account) => follower(placeOf(account), "api-key", Key.apiKeys(account))),
  announcements: (item) => parseAnnouncementItem(item).map(() => source(placeOf(null))),
  turns: (item) => parseTurnsItem(item).map(() => source(placeOf(null))),
};

/** What the item means; null if it does not parse. */
export const read = (item: StoredItem): Reading | null => {
  const kind = Partition.kind(item);
  if (kind === "other") return null;
  if (kind !== "account") return ELSEWHERE[kind](item).unwrapOr(null);
  const account = Partition.account(item).unwrapOr(null);
  if (account === null) return null;
  const found = IN_ACCOUNT.find(({ range }) => item.sk.startsWith(range(account).prefix));
  return found?.reader(account)(item).unwrapOr(null) ?? null;
};
