import { isDeepStrictEqual } from "node:util";
import {
  type AddressNotAllowed,
  type AddressTaken,
  type Alias,
  type AliasNotFound,
  type ApiKey,
  type BlockedSender,
  type Contact,
  type EmailAddress,
  err,
  type InvalidRequest,
  NO_LIMITS,
  ok,
  type Result,
  type Store,
  type TooManyApiKeys,
  type TooManyWebhooks,
  type Unavailable,
  type Webhook,
} from "@postern/core";
import { LedgerEntry } from "@postern/core/store";
import {
  type AliasRecipientsIneligible,
  checkDestinations,
  checkRecord,
  type DestinationsDiffer,
  type ImportRules,
} from "./import-rules.ts";
import type { ArchivedLedgerEntry, ArchivedRecipient, ArchivedSuspension, ArchiveRecord } from "./record.ts";

/** `present`: the same record was already stored, or the sender already blocked, and nothing changed. */
export type Imported = "stored" | "present";

/** Why a record was not stored. Except possibly after `unavailable`, nothing changed. */
export type ImportError =
  /** A text, list, counter or time is out of bounds. Names fields, but no values. */
  | InvalidRequest
  | AddressNotAllowed
  | AddressTaken
  /** The alias of a contact is not in the store. */
  | AliasNotFound
  /** A different record has the same id. */
  | { readonly code: "differs" }
  | AliasRecipientsIneligible
  | DestinationsDiffer
  /** The account has as many webhooks as it can have (`MAX_WEBHOOKS`). */
  | TooManyWebhooks
  /** The account has as many API keys as it can have (`MAX_API_KEYS`). */
  | TooManyApiKeys
  /** Another API key, of this account or of another one, has the hash. */
  | { readonly code: "hash_taken" }
  | Unavailable;

/** What a refusal means if no record with the id is stored. */
const refusal = <C extends ImportError["code"]>(
  error: { readonly code: string },
  conflict: C,
): { readonly code: C | "address_taken" } => ({
  // No limits apply, so every other refusal is a conflict.
  code: error.code === "address_taken" ? error.code : conflict,
});

const importRecipient = async (
  { recipients }: Store,
  recipient: ArchivedRecipient,
): Promise<Result<Imported, ImportError>> => {
  const created = await recipients.create({ ...recipient, attached: 0 }, NO_LIMITS);
  if (created.isOk()) return ok("stored");
  if (created.error.code === "unavailable") return err(created.error);
  const found = await recipients.find(recipient.account, recipient.id);
  if (found.isErr()) return err(found.error);
  if (found.value === null) return err(refusal(created.error, "differs"));
  const { attached } = found.value;
  return isDeepStrictEqual(found.value, { ...recipient, attached })
    ? ok("present")
    : err({ code: "differs" });
};

const importAlias = async (store: Store, alias: Alias): Promise<Result<Imported, ImportError>> => {
  const { aliases } = store;
  const checked = await checkDestinations(store, alias);
  if (checked.isErr()) return err(checked.error);
  const created = await aliases.create(alias, NO_LIMITS);
  if (created.isOk()) return ok("stored");
  if (created.error.code === "unavailable") return err(created.error);
  const found = await aliases.findWithRecipients(alias.account, alias.id, []);
  if (found.isErr()) return err(found.error);
  if (found.value.alias === null) return err(refusal(created.error, "recipients_ineligible"));
  return isDeepStrictEqual(found.value.alias, alias) ? ok("present") : err({ code: "differs" });
};

const importContact = async (
  { contacts }: Store,
  contact: Contact,
): Promise<Result<Imported, ImportError>> => {
  const created = await contacts.create(contact);
  if (created.isOk()) return ok("stored");
  const { error } = created;
  if (error.code === "unavailable" || error.code === "alias_not_found") return err(error);
  const found = await contacts.find(contact.id);
  if (found.isErr()) return err(found.error);
  if (found.value === null) return err(refusal(error, "differs"));
  return isDeepStrictEqual(found.value, contact) ? ok("present") : err({ code: "differs" });
};

/** A sender that the account has already blocked, at whatever time, stays as it is. */
const importBlockedSender = async (
  { blockedSenders }: Store,
  blockedSender: BlockedSender,
): Promise<Result<Imported, ImportError>> => {
  const stored = await blockedSenders.block(blockedSender, NO_LIMITS);
  if (stored.isOk()) return ok(stored.value.isNew ? "stored" : "present");
  // No limits apply, so every other refusal is a conflict.
  return err(stored.error.code === "unavailable" ? stored.error : { code: "differs" });
};

const importWebhook = async (
  { webhooks }: Store,
  webhook: Webhook,
): Promise<Result<Imported, ImportError>> => {
  const created = await webhooks.create(webhook);
  if (created.isOk()) return ok("stored");
  const { error } = created;
  if (error.code === "unavailable") return err(error);
  const found = await webhooks.list(webhook.account);
  if (found.isErr()) return err(found.error);
  const stored = found.value.find(({ id }) => id === webhook.id);
  // An account with the maximum number of webhooks may already have this one.
  if (stored === undefined) return err(error.code === "too_many_webhooks" ? error : { code: "differs" });
  return isDeepStrictEqual(stored, webhook) ? ok("present") : err({ code: "differs" });
};

/** A key that is stored stays as it is, although it may have been used since. */
const importApiKey = async ({ apiKeys }: Store, apiKey: ApiKey): Promise<Result<Imported, ImportError>> => {
  const created = await apiKeys.create(apiKey);
  if (created.isOk()) return ok("stored");
  const { error } = created;
  if (error.code === "unavailable") return err(error);
  const found = await apiKeys.list(apiKey.account);
  if (found.isErr()) return err(found.error);
  const stored = found.value.find(({ id }) => id === apiKey.id);
  // An account with the maximum number of API keys may already have this one.
  if (stored === undefined) return err(error.code === "too_many_api_keys" ? error : { code: "hash_taken" });
  const { lastUse } = apiKey;
  return isDeepStrictEqual({ ...stored, lastUse }, apiKey) ? ok("present") : err({ code: "differs" });
};

/** The store's own entry wins, because it is newer, but a mailbox that is suppressed in either stays suppressed. */
const merged = (archived: ArchivedLedgerEntry, stored: LedgerEntry | undefined): LedgerEntry => {
  if (stored === undefined) return { ...archived, version: 1 };
  return archived.suppressedAt === null ? stored : LedgerEntry.suppress(stored, archived.suppressedAt);
};

const ALIAS_STOPPED: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "the entry changed while it was imported" },
};

/** Also `unavailable` if a concurrent save won: import the entry again. */
const importLedgerEntry = async (
  { mailLedger }: Store,
  archived: ArchivedLedgerEntry,
): Promise<Result<Imported, ImportError>> => {
  const found = await mailLedger.find([archived.key]);
  if (found.isErr()) return err(found.error);
  const [stored] = found.value;
  const entry = merged(archived, stored);
  if (entry === stored) return ok("present");
  const saved = await mailLedger.save([entry]);
  return saved
    .map((): Imported => "stored")
    .mapErr((error) => (error.code === "conflict" ? ALIAS_STOPPED : error));
};

/** An account that is suspended in the archive or in the store stays suspended, since the earlier time. */
const importSuspension = async (
  { suspensions }: Store,
  { account, suspendedAt }: ArchivedSuspension,
): Promise<Result<Imported, ImportError>> => {
  const found = await suspensions.find(account);
  if (found.isErr()) return err(found.error);
  if (found.value !== null && found.value <= suspendedAt) return ok("present");
  const suspended = await suspensions.suspend(account, suspendedAt);
  return suspended.map(() => "stored");
};

const importRetiredAddress = async (
  { aliases }: Store,
  email: EmailAddress,
): Promise<Result<Imported, ImportError>> => {
  const retired = await aliases.retireAddress(email);
  return retired.map(() => "stored");
};

/**
 * Stores a record unchanged, unless it breaks the rules of the domain: an archive is untrusted input. Idempotent: importing
 * a stored record again returns `present` (for a retired address, `stored`). The limits of accounts do not apply, except that no
 * account has more than 5 webhooks (`MAX_WEBHOOKS`) and 20 API keys (`MAX_API_KEYS`). Recipients must be imported before the aliases that
 * forward to them, and aliases before their contacts; `exportRecords` returns them in that order.
 *
 * - Addresses of aliases, retired ones included, must be on the alias domains, and those of recipients must not be.
 *   Aliases must not have reserved names, unless the rules allow it.
 * - The destinations of an alias must be the addresses of the account's recipients in the store: at most 40, no
 *   duplicates.
 * - The alias domain of an API key must be one of the alias domains. Its recipients need not be in the store: they may have been
 *   deleted. Its name must have at most 100 characters.
 * - Texts must have at most 500 characters (URLs 2,000) and no control characters, lists at most 1,000 items. Versions and
 *   counters must be below 2^31, and times at most a day ahead of the clock, except for when something is to end.
 *
 * @example
 * ```ts
 * const aliasDomains = parseAliasDomains(["alias.example"]);
 * const record = readRecord(line);
 * if (aliasDomains.isErr() || record.isErr()) throw new Error("Invalid domain or line");
 * const rules = { aliasDomains: aliasDomains.value, isReserved: reservedNames([]), clock: Date };
 * await importRecord(store, record.value, rules);
 * ```
 */
export const importRecord = async (
  store: Store,
  record: ArchiveRecord,
  rules: ImportRules,
): Promise<Result<Imported, ImportError>> => {
  const checked = checkRecord(record, rules);
  if (checked.isErr()) return err(checked.error);
  switch (record.kind) {
    case "suspension":
      return importSuspension(store, record.suspension);
    case "recipient":
      return importRecipient(store, record.recipient);
    case "alias":
      return importAlias(store, record.alias);
    case "contact":
      return importContact(store, record.contact);
    case "blocked_sender":
      return importBlockedSender(store, record.blockedSender);
    case "webhook":
      return importWebhook(store, record.webhook);
    case "api_key":
      return importApiKey(store, record.apiKey);
    case "retired_address":
      return importRetiredAddress(store, record.email);
    case "mail_ledger_entry":
      return importLedgerEntry(store, record.entry);
  }
};
