import { createHash } from "node:crypto";
import type {
  CreateTableCommandInput,
  UpdateContinuousBackupsCommandInput,
  UpdateTimeToLiveCommandInput,
} from "@aws-sdk/client-dynamodb";
import {
  type AccountId,
  type AliasId,
  type BlockedSenderId,
  type ContactId,
  EmailAddress,
  type EventId,
  type InvalidRequest,
  parseAccountId,
  parseAliasId,
  parseBlockedSenderId,
  parseRecipientId,
  parseWebhookId,
  type RecipientId,
  type Result,
  type SpoolId,
  type SpoolMark,
} from "@postern/core";
import {
  type Announcement,
  type AnnouncementPosition,
  type ContactPosition,
  type HandedReport,
  type LedgerKey,
  type MessagePosition,
  parseAnnouncement,
  parseContactPosition,
  type Resend,
  type WebhookKey,
} from "@postern/core/store";

/*
 * The table: its shape and every key in it. No other file builds a key.
 *
 * Ids are opaque text, so a key contains one id, at its end; if it contains two, the first one is preceded by its
 * length. In the key of a tally item the id is followed by a tab, which no id contains and which sorts before every
 * character of an id: so these keys are in the order of the ids. In the key of a search item the id comes last, after digits and
 * a tab. In the key of an announcement it comes first, and is followed by U+0001. The ids of messages and webhooks are always 26
 * characters without `#`, so they need no length. Ids have no control characters and at most 384 bytes, so every key is within
 * DynamoDB's limits: 2048 bytes for `pk`, 1024 for `sk`. Keys appear in places where items do not (CloudTrail, Contributor Insights), so
 * they contain only SHA-256 hashes of addresses, or digits of such hashes, and the keyed hashes of API keys and of what the ledger is about.
 */

/** The primary key of an item. Contains ids, never an address. */
export type Key = { readonly pk: string; readonly sk: string };

/** The required shape of the table, in properties shared by DynamoDB's API and CloudFormation. */
export const TABLE = {
  BillingMode: "PAY_PER_REQUEST",
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  TimeToLiveSpecification: { AttributeName: "expires", Enabled: true },
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
} satisfies Omit<CreateTableCommandInput, "TableName"> &
  Pick<UpdateTimeToLiveCommandInput, "TimeToLiveSpecification"> &
  Pick<UpdateContinuousBackupsCommandInput, "PointInTimeRecoverySpecification">;

/** The version of the item format. An item of another version is rejected rather than misread. */
export const SCHEMA = 1;

const ACCOUNT = "account#";
const ALIAS = "alias#";
const TALLY = "tally#";
const RECIPIENT = "recipient#";
const RECIPIENT_ADDRESS = "recipient-address#";
const ATTACHMENT = "attachment#";
const CONTACT = "contact#";
const CONTACT_POSITION = "contact-position#";
const BLOCKED_SENDER = "blocked-sender#";
const BLOCKED_SENDER_LEAD = "blocked-sender-lead#";
const EVENT = "event#";
const MESSAGE = "message#";
const MESSAGE_MARK = "message-mark#";
const SEARCH = "search#";
const SEARCH_WORD = `${SEARCH}word#`;
const SEARCH_ADDRESS = `${SEARCH}address#`;
const ADDRESS = "address#";
const RETIRED = "retired";
const USAGE = "usage#";
const SUSPENSION = "suspension";
const LEDGER = "ledger#";
const LEDGER_ENTRY = "entry#";
const RESENDS = "resends#";
const RESEND = "resend#";
const HANDED_REPORTS = "handed-reports#";
const HANDED_REPORT = "handed-report#";
const WEBHOOKS = "webhooks";
const API_KEYS = "api-keys";
const API_KEY = "api-key#";
const ANNOUNCEMENTS = "announcements#";
const ANNOUNCEMENT = "announcement#";
const TURNS = "turns";
const TURN = "turn#";
const CREATIONS = "creations#";
const CREATION = "creation#";
const MIGRATION = "migration";

/** Sorts after every id: none contains a character this high. */
const LAST = "\u{10FFFF}";

const partition = (account: AccountId): string => ACCOUNT + account;
const attachmentsOf = (recipient: RecipientId): string => `${ATTACHMENT}${recipient.length}#${recipient}#`;
const contactsOf = (alias: AliasId): string => `${CONTACT}${alias.length}#${alias}#`;
const positionsOf = (alias: AliasId): string => `${CONTACT_POSITION}${alias.length}#${alias}#`;
const messagesOf = (alias: AliasId): string => `${MESSAGE}${alias.length}#${alias}#`;
const announcementsTo = ({ account, id }: WebhookKey): string => `${ANNOUNCEMENTS}${id}#${account}`;
const eventsOf = (alias: AliasId): string => `${EVENT}${alias.length}#${alias}#`;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const fingerprint = (email: EmailAddress): string => sha256(EmailAddress.key(email));

/** The ledger is spread over 16 partitions, enough for thousands of writes per second. */
const LEDGER_PARTITIONS = [..."0123456789abcdef"].map((digit) => LEDGER + digit);

/** How many items share the counting of an alias's events. Decision 10 says why. */
export const TALLY_ITEMS = 4;
const TALLY_NUMBERS = Array.from({ length: TALLY_ITEMS }, (_, n) => n);
const tally = (account: AccountId, alias: AliasId, n: number): Key => ({
  pk: partition(account),
  sk: `${TALLY}${alias}\t${n}`,
});

/**
 * A hexadecimal digit for each of the first characters of a text, taken from the SHA-256 of the text up to that character. So
 * texts that begin alike have digits that begin alike, and the text cannot be read from them.
 */
const digits = (text: string, most: number): string => {
  const characters = [...text].slice(0, most);
  return characters.map((_, n) => sha256(characters.slice(0, n + 1).join("")).charAt(0)).join("");
};

/** More digits would hardly tell more words apart, but would reveal more of an address. */
const WORD_DIGITS = 12;
const ADDRESS_DIGITS = 4;
const wordDigits = (word: string): string => SEARCH_WORD + digits(word, WORD_DIGITS);
const addressDigits = (address: string): string => SEARCH_ADDRESS + digits(address, ADDRESS_DIGITS);
/** In place of digits, for a whole description. */
const WHOLE = `${SEARCH_WORD}*`;

const ledgerPartition = (key: LedgerKey): string => LEDGER + sha256(key).charAt(0);

export const Key = {
  alias: (account: AccountId, id: AliasId): Key => ({ pk: partition(account), sk: ALIAS + id }),

  /** The items that count the alias's events, in ascending order. */
  tallies: (account: AccountId, alias: AliasId): readonly Key[] =>
    TALLY_NUMBERS.map((n) => tally(account, alias, n)),

  /** The one of these items that counts this event, always the same one. */
  tallyOf: (account: AccountId, alias: AliasId, event: EventId): Key =>
    tally(account, alias, Number.parseInt(sha256(event).slice(0, 8), 16) % TALLY_ITEMS),

  recipient: (account: AccountId, id: RecipientId): Key => ({ pk: partition(account), sk: RECIPIENT + id }),

  /** Reserves the address for one recipient of the account. */
  recipientAddress: (account: AccountId, email: EmailAddress): Key => ({
    pk: partition(account),
    sk: RECIPIENT_ADDRESS + fingerprint(email),
  }),

  /** Records that the recipient is attached to the alias, so that its aliases can be listed. */
  attachment: (account: AccountId, recipient: RecipientId, alias: AliasId): Key => ({
    pk: partition(account),
    sk: attachmentsOf(recipient) + alias,
  }),

  /** The contact of the alias with this address. */
  contact: (account: AccountId, alias: AliasId, email: EmailAddress): Key => ({
    pk: partition(account),
    sk: contactsOf(alias) + fingerprint(email),
  }),

  /** Leads to the contact that is at this position in the list of its alias. */
  contactPosition: (account: AccountId, alias: AliasId, position: ContactPosition): Key => ({
    pk: partition(account),
    sk: positionsOf(alias) + position,
  }),

  /** Reserves the id for one contact across all accounts, and leads to it. */
  contactId: (id: ContactId): Key => ({ pk: CONTACT + id, sk: "contact" }),

  blockedSender: (account: AccountId, id: BlockedSenderId): Key => ({
    pk: partition(account),
    sk: BLOCKED_SENDER + id,
  }),

  /** Leads to the blocked sender with this key (`Sender.key`). */
  blockedSenderLead: (account: AccountId, senderKey: string): Key => ({
    pk: partition(account),
    sk: BLOCKED_SENDER_LEAD + sha256(senderKey),
  }),

  /** Records that the event was counted. */
  event: (account: AccountId, alias: AliasId, event: EventId): Key => ({
    pk: partition(account),
    sk: eventsOf(alias) + event,
  }),

  /** The message at this position in the log of the alias. */
  message: (account: AccountId, alias: AliasId, position: MessagePosition): Key => ({
    pk: partition(account),
    sk: messagesOf(alias) + position,
  }),

  /** Sorts after this message in the log of its alias, and before the next one. */
  afterMessage: (account: AccountId, alias: AliasId, position: MessagePosition): Key => ({
    pk: partition(account),
    sk: messagesOf(alias) + position + LAST,
  }),

  /** Counts the message, as one of many, among those of all aliases of the account. */
  messageMark: (account: AccountId, alias: AliasId, position: MessagePosition): Key => ({
    pk: partition(account),
    sk: MESSAGE_MARK + position + alias,
  }),

  /** The item by which a search for the beginning of a word finds the alias. Several words of an alias can have the same key. */
  searchWord: (account: AccountId, word: string, alias: AliasId): Key => ({
    pk: partition(account),
    sk: `${wordDigits(word)}\t${alias}`,
  }),

  /** The item by which a search for any words finds the alias. */
  searchWhole: (account: AccountId, alias: AliasId): Key => ({
    pk: partition(account),
    sk: `${WHOLE}\t${alias}`,
  }),

  /** The item by which a search for the beginning of its address finds the alias. */
  searchAddress: (account: AccountId, email: EmailAddress, alias: AliasId): Key => ({
    pk: partition(account),
    sk: `${addressDigits(EmailAddress.key(email))}\t${alias}`,
  }),

  /** How many aliases or recipients the account has. */
  usage: (account: AccountId, counted: "aliases" | "recipients"): Key => ({
    pk: partition(account),
    sk: USAGE + counted,
  }),

  suspension: (account: AccountId): Key => ({ pk: partition(account), sk: SUSPENSION }),

  /** Reserves the address for one alias across all accounts, and leads to it. */
  address: (email: EmailAddress): Key => ({ pk: ADDRESS + fingerprint(email), sk: "address" }),

  /** Lists a retired address. */
  retired: (email: EmailAddress): Key => ({ pk: RETIRED, sk: ADDRESS + fingerprint(email) }),

  /** The item at `address` of the address whose item at `retired` has this key, and vice versa. */
  addressOfRetired: ({ sk }: Key): Key => ({ pk: sk, sk: "address" }),
  retiredOfAddress: ({ pk }: Key): Key => ({ pk: RETIRED, sk: pk }),

  ledgerEntry: (key: LedgerKey): Key => ({ pk: ledgerPartition(key), sk: LEDGER_ENTRY + key }),

  /** A request to send a message again, in a partition of the spool that has it. */
  resend: ({ spool, account, alias, message }: Omit<Resend, "at">): Key => ({
    pk: RESENDS + spool,
    sk: `${RESEND}${message}#${account.length}#${account}#${alias}`,
  }),

  /** What a report says about a copy, in a partition of the spool that has it. */
  handedReport: ({ spool, copy, outcome, onlyIfToAlias }: Omit<HandedReport, "reason" | "at">): Key => ({
    pk: HANDED_REPORTS + spool,
    sk: `${HANDED_REPORT}${copy}#${outcome}${onlyIfToAlias ? "#to-alias" : ""}`,
  }),

  /** All webhooks of the account. */
  webhooks: (account: AccountId): Key => ({ pk: partition(account), sk: WEBHOOKS }),

  /** All API keys of the account. */
  apiKeys: (account: AccountId): Key => ({ pk: partition(account), sk: API_KEYS }),

  /** Reserves the hash for one API key across all accounts, and leads to the account that has it. */
  apiKeyHash: (hash: LedgerKey): Key => ({ pk: API_KEY + hash, sk: "api-key" }),

  /** What the account created with this idempotency key, in a partition of its own. */
  creation: (account: AccountId, key: LedgerKey): Key => ({ pk: CREATIONS + account, sk: CREATION + key }),

  /** The announcement at this position, in a partition of the webhook that it is for. */
  announcement: (webhook: WebhookKey, position: AnnouncementPosition): Key => ({
    pk: announcementsTo(webhook),
    sk: ANNOUNCEMENT + position,
  }),

  /**
   * What is known about the turns of the webhook, in the partition of all webhooks that are due or have failed. Its sort key, which
   * servers log, does not reveal the account.
   */
  turns: ({ account, id }: WebhookKey): Key => ({ pk: TURNS, sk: `${TURN}${id}#${sha256(account)}` }),

  /** The item that is read and written to find out whether the table responds. It contains nothing else. */
  probe: { pk: "probe", sk: "probe" } satisfies Key,

  /** The item that exists once all aliases of the table have their search items. */
  searchable: { pk: MIGRATION, sk: "search" } satisfies Key,

  /** The key of an item, without its other attributes. */
  of: ({ pk, sk }: Key): Key => ({ pk, sk }),

  same: (a: Key, b: Key): boolean => a.pk === b.pk && a.sk === b.sk,
};

/** The items of one partition whose sort keys begin with `prefix`. */
export type KeyRange = { readonly pk: string; readonly prefix: string };

/** The items of one partition whose sort keys are from `first` to `last`. */
export type KeySpan = { readonly pk: string; readonly first: string; readonly last: string };

/** The items of one kind in one account, in the order of their ids (`compareIds`). */
export type IdRange<Id extends string> = KeyRange & {
  readonly key: (id: Id) => Key;
  /** The id in the key of an item. */
  readonly id: (key: Key) => Result<Id, InvalidRequest>;
};

/** The text after `prefix`; undefined, which no parser accepts as an id, if the text does not start with it. */
const textAfter = (prefix: string, text: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined;

export const KeyRange = {
  aliases: (account: AccountId): IdRange<AliasId> => ({
    pk: partition(account),
    prefix: ALIAS,
    key: (id) => Key.alias(account, id),
    id: ({ sk }) => parseAliasId(textAfter(ALIAS, sk)),
  }),

  recipients: (account: AccountId): IdRange<RecipientId> => ({
    pk: partition(account),
    prefix: RECIPIENT,
    key: (id) => Key.recipient(account, id),
    id: ({ sk }) => parseRecipientId(textAfter(RECIPIENT, sk)),
  }),

  recipientAddresses: (account: AccountId): KeyRange => ({
    pk: partition(account),
    prefix: RECIPIENT_ADDRESS,
  }),

  /** The attachments of one recipient, in the order of its aliases. */
  attachments: (account: AccountId, recipient: RecipientId): IdRange<AliasId> => ({
    pk: partition(account),
    prefix: attachmentsOf(recipient),
    key: (id) => Key.attachment(account, recipient, id),
    id: ({ sk }) => parseAliasId(textAfter(attachmentsOf(recipient), sk)),
  }),

  /** The attachments of all recipients of the account. */
  allAttachments: (account: AccountId): KeyRange => ({ pk: partition(account), prefix: ATTACHMENT }),

  /** The items that count the events of all aliases of the account. */
  allTallies: (account: AccountId): KeyRange => ({ pk: partition(account), prefix: TALLY }),

  /** The search items that lead to all aliases with a word that begins like this, and to few others. */
  searchWords: (account: AccountId, beginning: string): KeyRange => ({
    pk: partition(account),
    prefix: wordDigits(beginning),
  }),

  /** The search items that contain whole descriptions. */
  searchWholes: (account: AccountId): KeyRange => ({ pk: partition(account), prefix: WHOLE }),

  /** The search items that lead to all aliases with an address that begins like this, and to others. */
  searchAddresses: (account: AccountId, beginning: string): KeyRange => ({
    pk: partition(account),
    prefix: addressDigits(beginning),
  }),

  /** All search items of the account. */
  allSearch: (account: AccountId): KeyRange => ({ pk: partition(account), prefix: SEARCH }),

  /** The contacts of one alias, in no particular order. */
  contacts: (account: AccountId, alias: AliasId): KeyRange => ({
    pk: partition(account),
    prefix: contactsOf(alias),
  }),

  /** The items that lead to the contacts of one alias, in the order of its list. */
  contactPositions: (account: AccountId, alias: AliasId): IdRange<ContactPosition> => ({
    pk: partition(account),
    prefix: positionsOf(alias),
    key: (position) => Key.contactPosition(account, alias, position),
    id: ({ sk }) => parseContactPosition(textAfter(positionsOf(alias), sk)),
  }),

  /** The contacts of all aliases of the account. */
  allContacts: (account: AccountId): KeyRange => ({ pk: partition(account), prefix: CONTACT }),

  /** The items that lead to these contacts, in the order of lists. */
  allContactPositions: (account: AccountId): KeyRange => ({
    pk: partition(account),
    prefix: CONTACT_POSITION,
  }),

  blockedSenders: (account: AccountId): IdRange<BlockedSenderId> => ({
    pk: partition(account),
    prefix: BLOCKED_SENDER,
    key: (id) => Key.blockedSender(account, id),
    id: ({ sk }) => parseBlockedSenderId(textAfter(BLOCKED_SENDER, sk)),
  }),

  /** The items that lead to the blocked senders of the account. */
  blockedSenderLeads: (account: AccountId): KeyRange => ({
    pk: partition(account),
    prefix: BLOCKED_SENDER_LEAD,
  }),

  /** The events counted for one alias. */
  events: (account: AccountId, alias: AliasId): KeyRange => ({
    pk: partition(account),
    prefix: eventsOf(alias),
  }),

  /** The log of one alias, in its order. */
  messages: (account: AccountId, alias: AliasId): KeyRange => ({
    pk: partition(account),
    prefix: messagesOf(alias),
  }),

  /** The logs of all aliases of the account. */
  allMessages: (account: AccountId): KeyRange => ({ pk: partition(account), prefix: MESSAGE }),

  /** What counts the messages of all aliases of the account, in the order of the messages' positions. */
  messageMarks: (account: AccountId): KeyRange => ({ pk: partition(account), prefix: MESSAGE_MARK }),

  /** The items that count the events of these aliases, and of those between them. */
  tallies: (account: AccountId, { lowest, highest }: Record<"lowest" | "highest", AliasId>): KeySpan => ({
    pk: partition(account),
    first: tally(account, lowest, 0).sk,
    last: tally(account, highest, TALLY_ITEMS - 1).sk,
  }),

  /** The requests to send messages again from the spool. */
  resends: (spool: SpoolId): KeyRange => ({ pk: RESENDS + spool, prefix: RESEND }),

  /** The reports about copies in the spool. */
  handedReports: (spool: SpoolMark): KeyRange => ({ pk: HANDED_REPORTS + spool, prefix: HANDED_REPORT }),

  /** What the account created with idempotency keys. */
  creations: (account: AccountId): KeyRange => ({ pk: CREATIONS + account, prefix: CREATION }),

  /** The announcements to the webhook, in order of position. */
  announcements: (webhook: WebhookKey): KeyRange => ({
    pk: announcementsTo(webhook),
    prefix: ANNOUNCEMENT,
  }),

  /** What is known about the turns of all webhooks that are due or have failed, in no particular order. */
  turns: { pk: TURNS, prefix: TURN } satisfies KeyRange,

  retired: { pk: RETIRED, prefix: ADDRESS } satisfies KeyRange,

  /** The entries of the mail ledger, partition by partition. */
  ledger: LEDGER_PARTITIONS.map((pk): KeyRange => ({ pk, prefix: LEDGER_ENTRY })),
};

/** All items of one account. */
export const Partition = {
  prefix: ACCOUNT,

  /** What kind of items are in the partition of `key`. */
  kind: ({
    pk,
  }: Key):
    | "account"
    | "address"
    | "contact"
    | "api-key"
    | "retired"
    | "announcements"
    | "turns"
    | "other" => {
    if (pk.startsWith(ACCOUNT)) return "account";
    if (pk.startsWith(ADDRESS)) return "address";
    if (pk.startsWith(CONTACT)) return "contact";
    if (pk.startsWith(API_KEY)) return "api-key";
    if (pk.startsWith(ANNOUNCEMENTS)) return "announcements";
    if (pk === TURNS) return "turns";
    return pk === RETIRED ? "retired" : "other";
  },

  /** The prefix of the sort keys of events, of any alias. */
  events: EVENT,

  /** The prefix of the sort keys of logged messages, of any alias. */
  messages: MESSAGE,

  /** The prefix of the sort keys of aliases. */
  aliases: ALIAS,

  /** The prefix of the sort keys of tally items. */
  tallies: TALLY,

  /** The text that only the sort key of the first tally item of an alias contains. */
  firstTally: "\t0",

  /** The alias that the item at this key is, or counts for; null if it is not an item of an alias. */
  alias: (key: Key): { readonly account: AccountId; readonly id: AliasId } | null => {
    const id = textAfter(ALIAS, key.sk) ?? textAfter(TALLY, key.sk)?.replace(/\t\d+$/, "");
    const [account, parsed] = [Partition.account(key), parseAliasId(id)];
    return account.isOk() && parsed.isOk() ? { account: account.value, id: parsed.value } : null;
  },

  /** The prefix of the sort keys of recipients. */
  recipients: RECIPIENT,

  /** The prefix of the sort keys of attachments. */
  attachments: ATTACHMENT,

  /** Which recipient the attachment at this key attaches to which alias; null if it is not the key of one. */
  attachment: ({ sk }: Key): { readonly recipient: RecipientId; readonly alias: AliasId } | null => {
    const [, length, ids = ""] = /^attachment#(\d+)#(.*)$/s.exec(sk) ?? [];
    const end = Number(length);
    const [recipient, alias] = [parseRecipientId(ids.slice(0, end)), parseAliasId(ids.slice(end + 1))];
    return recipient.isOk() && alias.isOk() ? { recipient: recipient.value, alias: alias.value } : null;
  },

  /** The prefix of the sort keys of contacts, and of the items that lead to them. */
  contacts: "contact",

  /** The prefix of the sort keys of search items. */
  search: SEARCH,

  /** The alias that the search item at this key leads to; null if it is not the key of one. */
  sought: ({ sk }: Key): AliasId | null => {
    const [, id] = /^search#(?:word|address)#[0-9a-f*]*\t(.*)$/s.exec(sk) ?? [];
    return parseAliasId(id).unwrapOr(null);
  },

  /** The announcement at this key; null if it is not the key of one. */
  announcement: ({ pk, sk }: Key): Announcement | null => {
    const [, webhook, owner] = /^announcements#([^#]*)#(.*)$/s.exec(pk) ?? [];
    const [id, account] = [parseWebhookId(webhook), parseAccountId(owner)];
    if (id.isErr() || account.isErr()) return null;
    const place = { account: account.value, id: id.value };
    return parseAnnouncement(place, textAfter(ANNOUNCEMENT, sk)).unwrapOr(null);
  },

  /** The prefix of the sort keys of counts. */
  usage: USAGE,

  /** A key after the last item of the account. */
  end: (account: AccountId): Key => ({ pk: partition(account), sk: LAST }),

  /** If `key` belongs to an event or a logged message, a key after the last one of its account; otherwise `key`. */
  skipMany: (key: Key): Key => {
    const prefix = [EVENT, MESSAGE].find((each) => key.sk.startsWith(each));
    return prefix === undefined ? key : { pk: key.pk, sk: prefix + LAST };
  },

  /** The account in the key of an item. */
  account: ({ pk }: Key): Result<AccountId, InvalidRequest> => parseAccountId(textAfter(ACCOUNT, pk)),
};
