import {
  type AccountId,
  Alias,
  type ApiKey,
  type ApiKeyId,
  type BlockedSender,
  type BlockedSenderId,
  Contact,
  type ContactId,
  type CopyId,
  compareIds,
  type Domain,
  type EmailAddress,
  isNonEmpty,
  LoggedMessage,
  type MessageId,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseApiKeyId,
  parseBlockedSenderId,
  parseContactId,
  parseCopyId,
  parseEmailAddress,
  parseMessageId,
  parseRecipientId,
  parseRecipientIds,
  parseSender,
  parseSpoolId,
  parseSpoolMark,
  parseWebhookId,
  Recipient,
  type Sender,
  type SpoolId,
  type SpoolMark,
  type Store,
  type Webhook,
  type WebhookId,
} from "@postern/core";
import {
  type AliasKey,
  Announcement,
  type Correspondent,
  type Creation,
  type HandedReport,
  type LedgerEntry,
  type LedgerKey,
  type Meeting,
  parseApiKey,
  parseCreation,
  parseLedgerKey,
  parseWebhook,
  type Resend,
  type Turn,
  type TurnState,
  type WebhookKey,
} from "@postern/core/store";
import { KEY_LIKE_IDS, testMessage, valueOf } from "@postern/core/testing";
import { aliasesOf, walk } from "./walk.ts";

/* Sample data. Ids and addresses never repeat, so a check can run any number of rounds on one store. */

let serial = 0;
const next = () => {
  serial += 1;
  return String(serial).padStart(8, "0");
};

/** The current time, because a store may delete what has expired by its own clock. */
export const NOW = Date.now();

/** Expected failures, for use as in `expectMatch(result, CONFLICT)`. */
export const CONFLICT = { error: { code: "conflict" } };
export const ADDRESS_TAKEN = { error: { code: "address_taken" } };
export const ALREADY_CREATED = { error: { code: "already_created" } };
export const ALIAS_DELETED = { error: { code: "alias_deleted" } };
export const ALIAS_NOT_FOUND = { error: { code: "alias_not_found" } };

export const newAccount = (): AccountId => valueOf(parseAccountId(`account-${next()}`));

export const newAddress = (): EmailAddress => valueOf(parseEmailAddress(`Alias-${next()}@alias.example`));

/** The same address in upper case. */
export const upperCase = (address: EmailAddress): EmailAddress =>
  valueOf(parseEmailAddress(address.toUpperCase()));

type Fields<T> = { -readonly [K in keyof T]?: T[K] };

/** A recipient that is verified and active. */
export const newRecipient = (account: AccountId, fields: Fields<Recipient> = {}): Recipient => ({
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId(`recipient-${next()}`)),
      account,
      email: valueOf(parseEmailAddress(`Mailbox-${next()}@recipient.example`)),
      nonce: `nonce-${next()}`,
    },
    NOW,
  ),
  verifiedAt: NOW,
  ...fields,
});

export const newAlias = (
  account: AccountId,
  recipients: readonly Recipient[],
  fields: Fields<Alias> = {},
): Alias => {
  const identity = {
    id: valueOf(parseAliasId(`alias-${next()}`)),
    account,
    email: newAddress(),
    description: "Shop — news & 🙂",
  };
  const ids = valueOf(parseRecipientIds(recipients.map(({ id }) => id)));
  return { ...valueOf(Alias.create(identity, ids, recipients, NOW)), ...fields };
};

/** Creates a recipient, without limits. */
export const createRecipient = (store: Store, recipient: Recipient) =>
  store.recipients.create(recipient, NO_LIMITS);

/** Creates an alias, without limits. */
export const createAlias = (store: Store, alias: Alias) => store.aliases.create(alias, NO_LIMITS);

export const storeRecipient = async (
  store: Store,
  account: AccountId,
  fields: Fields<Recipient> = {},
): Promise<Recipient> => {
  const recipient = newRecipient(account, fields);
  valueOf(await createRecipient(store, recipient));
  return recipient;
};

export const storeRecipients = (store: Store, account: AccountId, count: number): Promise<Recipient[]> =>
  Promise.all(Array.from({ length: count }, () => storeRecipient(store, account)));

export const storeAlias = async (
  store: Store,
  account: AccountId,
  recipients: readonly Recipient[],
  fields: Fields<Alias> = {},
): Promise<Alias> => {
  const alias = newAlias(account, recipients, fields);
  valueOf(await createAlias(store, alias));
  return alias;
};

/** The next version of `alias`, with other settings. */
export const changed = (alias: Alias, settings: Fields<Alias>): Alias => ({
  ...alias,
  updatedAt: alias.updatedAt + 1,
  version: alias.version + 1,
  ...settings,
});

/** The next version of `alias`, with exactly these recipients, even if they cannot be attached. */
export const withRecipients = (alias: Alias, recipients: readonly Recipient[]): Alias => {
  const destinations = recipients.map(({ id, email }) => ({ recipientId: id, email }));
  if (!isNonEmpty(destinations)) throw new Error("an alias must have at least one recipient");
  return changed(alias, { destinations });
};

export const deleted = (alias: Alias): Alias => changed(alias, { deletedAt: NOW });

/** The next version of `recipient`, with other settings. */
export const changedRecipient = (recipient: Recipient, settings: Fields<Recipient>): Recipient => ({
  ...recipient,
  updatedAt: recipient.updatedAt + 1,
  version: recipient.version + 1,
  ...settings,
});

export const deactivated = (recipient: Recipient): Recipient =>
  changedRecipient(recipient, { active: false });

export const saveAlias = async (store: Store, before: Alias, after: Alias): Promise<Alias> => {
  valueOf(await store.aliases.save(before, after));
  return after;
};

export const saveRecipient = async (
  store: Store,
  before: Recipient,
  after: Recipient,
): Promise<Recipient> => {
  valueOf(await store.recipients.save(before, after));
  return after;
};

export const findAlias = async (store: Store, { account, id }: Pick<Alias, "account" | "id">) =>
  valueOf(await store.aliases.findWithRecipients(account, id, [])).alias;

export const findRecipient = async (store: Store, { account, id }: Pick<Recipient, "account" | "id">) =>
  valueOf(await store.recipients.find(account, id));

/** How many live aliases each recipient is attached to; undefined for one that does not exist. */
export const attachedCounts = async (
  store: Store,
  recipients: readonly Recipient[],
): Promise<(number | undefined)[]> =>
  (await Promise.all(recipients.map((recipient) => findRecipient(store, recipient)))).map(
    (recipient) => recipient?.attached,
  );

/** 8 letters. */
const nextLetters = (): string => [...next()].map((digit) => "abcdefghij".charAt(Number(digit))).join("");

export const newContactId = (): ContactId => valueOf(parseContactId(`contactcontactcont${nextLetters()}`));

/** A correspondent with a new address, from which mail has arrived now. */
export const newCorrespondent = (fields: Fields<Correspondent> = {}): Correspondent => ({
  id: newContactId(),
  email: valueOf(parseEmailAddress(`Contact-${next()}@Sender.example`)),
  kind: "received",
  at: NOW,
  ...fields,
});

/** A contact that is not stored. */
export const newContact = (alias: AliasKey, fields: Fields<Contact> = {}): Contact => ({
  ...Contact.of(alias, newCorrespondent()),
  ...fields,
});

/** Meets one address, without a limit. */
export const record = async (
  store: Store,
  alias: AliasKey,
  correspondent: Correspondent,
): Promise<Contact> => {
  const [contact] = valueOf(await store.contacts.record(alias, [correspondent], NO_LIMITS));
  if (!contact) throw new Error("a correspondent made no contact, although there is no limit");
  return contact;
};

/** A message from a new address, which names nobody else. */
export const newMeeting = (): Meeting => {
  const correspondent = newCorrespondent();
  return { author: correspondent.email, correspondents: [correspondent] };
};

/** Whether mail from this author to an alias of the account is blocked. Creates the alias if there is none. */
export const isAuthorBlocked = async (
  store: Store,
  account: AccountId,
  author: EmailAddress | Domain,
): Promise<boolean> => {
  const [found] = await walk(aliasesOf(store, account));
  const alias = found ?? (await storeAlias(store, account, [await storeRecipient(store, account)]));
  return valueOf(await store.contacts.meet(alias, { author, correspondents: [] }, NO_LIMITS)).isBlocked;
};

export const recordNew = (
  store: Store,
  alias: AliasKey,
  fields: Fields<Correspondent> = {},
): Promise<Contact> => record(store, alias, newCorrespondent(fields));

/** The next version of `contact`, with other settings. */
export const changedContact = (contact: Contact, fields: Fields<Contact>): Contact => ({
  ...contact,
  version: contact.version + 1,
  ...fields,
});

export const saveContact = async (store: Store, before: Contact, after: Contact): Promise<Contact> => {
  valueOf(await store.contacts.save(before, after));
  return after;
};

export const findContact = async (store: Store, { id }: Pick<Contact, "id">) =>
  valueOf(await store.contacts.find(id));

/** The contacts of the alias with these addresses. */
export const findByEmails = async (
  store: Store,
  alias: AliasKey,
  emails: readonly EmailAddress[],
): Promise<readonly Contact[]> =>
  isNonEmpty(emails) ? valueOf(await store.contacts.findByEmails(alias, emails)) : [];

export const newBlockedSenderId = (): BlockedSenderId =>
  valueOf(parseBlockedSenderId(`blockedblockedbloc${nextLetters()}`));

/** A domain. */
const newSender = (): Sender => valueOf(parseSender(`Sender-${next()}.example`));

/** A blocked sender that is not stored. */
export const newBlockedSender = (account: AccountId, fields: Fields<BlockedSender> = {}): BlockedSender => ({
  id: newBlockedSenderId(),
  account,
  sender: newSender(),
  createdAt: NOW,
  ...fields,
});

/** Blocks a sender that is not blocked yet, without a limit. */
export const blockNew = async (
  store: Store,
  account: AccountId,
  fields: Fields<BlockedSender> = {},
): Promise<BlockedSender> => {
  const { blocked, isNew } = valueOf(
    await store.blockedSenders.block(newBlockedSender(account, fields), NO_LIMITS),
  );
  if (!isNew) throw new Error("a new sender was blocked already");
  return blocked;
};

const newMessageId = (): MessageId => valueOf(parseMessageId(`messagemessagemess${nextLetters()}`));

/**
 * The first revision of a message for the alias that has arrived now. It does not get too old before the check ends: a store may
 * remove old messages, and not every store can be given another clock.
 */
export const newMessage = (alias: AliasKey, fields: Fields<LoggedMessage> = {}): LoggedMessage =>
  testMessage(alias, { id: newMessageId(), at: Date.now(), ...fields });

/** Aliases of accounts with similar ids. Those at the end become the same text when account and alias are joined. */
export const ALIKE_PLACES: readonly AliasKey[] = [
  ...KEY_LIKE_IDS.map((id, i) => [KEY_LIKE_IDS[i % 7], id] as const),
  ...["#", "|", "/", ":", ".", " "].flatMap(
    (separator) =>
      [
        ["x", `x${separator}x`],
        [`x${separator}x`, "x"],
      ] as const,
  ),
].map(([account, id]) => ({ account: valueOf(parseAccountId(account)), id: valueOf(parseAliasId(id)) }));

/** The next revision of `message`, with other fields. */
export const revised = (message: LoggedMessage, fields: Fields<LoggedMessage> = {}): LoggedMessage => ({
  ...message,
  revision: message.revision + 1,
  ...fields,
});

export const saveMessage = async (store: Store, message: LoggedMessage): Promise<LoggedMessage> => {
  valueOf(await store.messageLog.save(message, NO_LIMITS));
  return message;
};

export const logNew = (
  store: Store,
  alias: AliasKey,
  fields: Fields<LoggedMessage> = {},
): Promise<LoggedMessage> => saveMessage(store, newMessage(alias, fields));

/** The message as it is stored in the log of its alias. */
export const findMessage = async (store: Store, message: LoggedMessage) => {
  const alias = { account: message.account, id: message.alias };
  return valueOf(await store.messageLog.find(alias, LoggedMessage.position(message)));
};

export const newSpoolId = (): SpoolId => valueOf(parseSpoolId(`spoolspoolspoolspo${nextLetters()}`));

/** A request, made now, to send a new message of the alias again. */
export const newResend = ({ account, id }: AliasKey, fields: Fields<Resend> = {}): Resend => ({
  spool: newSpoolId(),
  account,
  alias: id,
  message: newMessageId(),
  at: Date.now(),
  ...fields,
});

export const requestResend = async (store: Store, resend: Resend): Promise<Resend> => {
  valueOf(await store.resends.request(resend));
  return resend;
};

/** All requests to send messages again from the spool, up to 100. */
export const resendsOf = async (store: Store, spool: SpoolId): Promise<readonly Resend[]> =>
  valueOf(await store.resends.list(spool, 100));

export const newSpoolMark = (): SpoolMark => valueOf(parseSpoolMark(nextLetters()));

export const newCopyId = (): CopyId => valueOf(parseCopyId(`copycopycopycopyco${nextLetters()}`));

/** What a report says, now, about a new copy in a new spool. */
export const newHandedReport = (fields: Fields<HandedReport> = {}): HandedReport => ({
  spool: newSpoolMark(),
  copy: newCopyId(),
  outcome: "bounced",
  onlyIfToAlias: false,
  reason: "mailbox_full",
  at: Date.now(),
  ...fields,
});

export const handOver = async (store: Store, report: HandedReport): Promise<HandedReport> => {
  valueOf(await store.handedReports.handOver(report));
  return report;
};

/** All reports for the spool, up to 100. */
export const handedReportsFor = async (store: Store, spool: SpoolMark): Promise<readonly HandedReport[]> =>
  valueOf(await store.handedReports.list(spool, 100));

export const newWebhookId = (): WebhookId => valueOf(parseWebhookId(`webhookwebhookwebh${nextLetters()}`));

export const newWebhook = (account: AccountId, fields: Fields<Webhook> = {}): Webhook => ({
  ...valueOf(
    parseWebhook({
      id: newWebhookId(),
      account,
      url: `https://service.example/webhooks/${next()}?key=Value`,
      events: ["alias.created", "message.failed"],
      secret: `whsec_${next().repeat(6).slice(0, 42)}A=`,
      off: null,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    }),
  ),
  ...fields,
});

export const storeWebhook = async (
  store: Store,
  account: AccountId,
  fields: Fields<Webhook> = {},
): Promise<Webhook> => {
  const webhook = newWebhook(account, fields);
  valueOf(await store.webhooks.create(webhook));
  return webhook;
};

export const changedWebhook = (webhook: Webhook, fields: Fields<Webhook>): Webhook => ({
  ...webhook,
  updatedAt: webhook.updatedAt + 1,
  version: webhook.version + 1,
  ...fields,
});

/** A place for announcements. The store does not need to have the webhook. */
export const newWebhookKey = (account = newAccount()): WebhookKey => ({ account, id: newWebhookId() });

/** An announcement of a new alias to the webhook. */
export const newAnnouncement = (
  { account, id: webhook }: WebhookKey,
  fields: Fields<Announcement> = {},
): Announcement => ({
  account,
  webhook,
  alias: valueOf(parseAliasId(`alias-${next()}`)),
  message: null,
  version: 1,
  at: NOW,
  ...fields,
});

export const announceNew = async (
  store: Store,
  webhook: WebhookKey,
  fields: Fields<Announcement> = {},
): Promise<Announcement> => {
  const announcement = newAnnouncement(webhook, fields);
  valueOf(await store.outbox.announce([announcement]));
  return announcement;
};

/** The announcements to the webhook, up to 100. */
export const announcedTo = async (store: Store, webhook: WebhookKey): Promise<readonly Announcement[]> => {
  const { items, next: more } = valueOf(await store.outbox.list(webhook, { limit: 100, after: null }));
  if (more !== null) throw new Error("more announcements than fit on a page");
  return items;
};

export const inOrderOfPosition = (announcements: readonly Announcement[]): readonly Announcement[] =>
  announcements.toSorted((a, b) => compareIds(Announcement.position(b), Announcement.position(a)));

/** How long turns last in checks, in milliseconds. */
export const TURN = 1_000;

/** Begins the turns of all webhooks that are due at `now`. */
export const beginTurns = async (store: Store, now: number, limit = 100): Promise<readonly Turn[]> =>
  valueOf(await store.outbox.begin({ now, until: now + TURN, limit }));

/** The state of a webhook that has never had a turn. */
export const NO_TURNS: TurnState = { failures: 0, failingSince: null, after: null };

export const newLedgerKey = (): LedgerKey => valueOf(parseLedgerKey(`Ledger-Key_${next()}`));

export const newApiKeyId = (): ApiKeyId => valueOf(parseApiKeyId(`apikeyapikeyapikey${nextLetters()}`));

export const newApiKey = (account: AccountId, fields: Fields<ApiKey> = {}): ApiKey => ({
  ...valueOf(
    parseApiKey({
      id: newApiKeyId(),
      account,
      hash: newLedgerKey(),
      name: "Password manager — 🙂",
      scopes: ["aliases:create", "aliases:read"],
      aliasDomain: null,
      recipientIds: null,
      expiresAt: null,
      createdAt: NOW,
      lastUse: null,
    }),
  ),
  ...fields,
});

export const storeApiKey = async (
  store: Store,
  account: AccountId,
  fields: Fields<ApiKey> = {},
): Promise<ApiKey> => {
  const apiKey = newApiKey(account, fields);
  valueOf(await store.apiKeys.create(apiKey));
  return apiKey;
};

/** That the alias or the webhook was created with a key, a new one by default, now. */
export const creationOf = (
  created: Alias | Webhook,
  fields: Partial<Pick<Creation, "key" | "at" | "expiresAt">> = {},
): Creation =>
  valueOf(
    parseCreation({
      account: created.account,
      key: newLedgerKey(),
      fingerprint: newLedgerKey(),
      kind: "secret" in created ? "webhook" : "alias",
      id: created.id,
      at: Date.now(),
      ...fields,
    }),
  );

/** What was created with the key of `creation`. */
export const findCreation = async (store: Store, { account, key }: Creation) =>
  valueOf(await store.creations.find(account, key));

const DAY = 24 * 60 * 60 * 1000;

/**
 * The first version of an entry, charged with one message now. It does not expire before the check ends: a store may
 * remove expired entries, and not every store can be given another clock.
 */
export const newEntry = (fields: Fields<LedgerEntry> = {}): LedgerEntry => {
  const now = Date.now();
  return {
    key: newLedgerKey(),
    chargedAt: [now],
    suppressedAt: null,
    expiresAt: now + 30 * DAY,
    version: 1,
    ...fields,
  };
};

/** The next version of `entry`, with other fields. */
export const changedEntry = (entry: LedgerEntry, fields: Fields<LedgerEntry>): LedgerEntry => ({
  ...entry,
  version: entry.version + 1,
  ...fields,
});

export const saveEntry = async (store: Store, entry: LedgerEntry): Promise<LedgerEntry> => {
  valueOf(await store.mailLedger.save([entry]));
  return entry;
};

export const findEntry = async (store: Store, { key }: Pick<LedgerEntry, "key">) =>
  valueOf(await store.mailLedger.find([key]))[0] ?? null;
