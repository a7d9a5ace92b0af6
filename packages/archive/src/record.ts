import {
  type AccountId,
  type Alias,
  type ApiKey,
  type BlockedSender,
  type Contact,
  type EmailAddress,
  err,
  type InvalidRequest,
  ok,
  parseAccountId,
  parseEmailAddress,
  type Recipient,
  type Result,
  type Webhook,
} from "@postern/core";
import {
  type LedgerEntry,
  parseAlias,
  parseApiKey,
  parseBlockedSender,
  parseContact,
  parseLedgerEntry,
  parseRecipient,
  parseWebhook,
} from "@postern/core/store";
import { droppedField, isObject } from "./dropped-field.ts";

/**
 * The version of the line format. It changes when lines of an existing kind change. Adding a kind does not change it,
 * because readers reject the kinds that they do not know.
 */
const FORM = 2;

/** Format 1, of version 0.1: its recipients have `mailedAt` instead of `verificationSentAt`. */
const OLD_FORM = 1;

/** A recipient without the number of aliases it is attached to, which follows from the aliases. */
export type ArchivedRecipient = Omit<Recipient, "attached">;

/** An entry of the mail ledger without its version, which only matters to the store that it is in. */
export type ArchivedLedgerEntry = Omit<LedgerEntry, "version">;

/** Since when an account has been suspended, in epoch milliseconds. */
export type ArchivedSuspension = { readonly account: AccountId; readonly suspendedAt: number };

/** One complete item of a store. */
export type ArchiveRecord =
  | { readonly kind: "suspension"; readonly suspension: ArchivedSuspension }
  | { readonly kind: "recipient"; readonly recipient: ArchivedRecipient }
  | { readonly kind: "alias"; readonly alias: Alias }
  | { readonly kind: "contact"; readonly contact: Contact }
  | { readonly kind: "blocked_sender"; readonly blockedSender: BlockedSender }
  | { readonly kind: "webhook"; readonly webhook: Webhook }
  | { readonly kind: "api_key"; readonly apiKey: ApiKey }
  /** The address of an erased alias, in lower case (`EmailAddress.key`). It belongs to no account. */
  | { readonly kind: "retired_address"; readonly email: EmailAddress }
  /** It belongs to no account. */
  | { readonly kind: "mail_ledger_entry"; readonly entry: ArchivedLedgerEntry };

type Fields = Readonly<Record<string, unknown>>;

const invalid = (path: readonly string[], reason: string) =>
  err({ code: "invalid_request", issues: [{ path, reason }] } as const);

const parseArchivedRecipient = (fields: Fields): Result<ArchivedRecipient, InvalidRequest> =>
  parseRecipient({ ...fields, attached: 0 }).map(({ attached: _, ...recipient }) => recipient);

const parseArchivedEntry = (fields: Fields): Result<ArchivedLedgerEntry, InvalidRequest> =>
  parseLedgerEntry({ ...fields, version: 1 }).map(({ version: _, ...entry }) => entry);

const within = <T>(name: string, parsed: Result<T, InvalidRequest>): Result<T, InvalidRequest> =>
  parsed.mapErr(({ code, issues }) => ({
    code,
    issues: issues.map(({ path, reason }) => ({ path: [name, ...path], reason })),
  }));

const parseSuspension = ({ account, suspendedAt }: Fields): Result<ArchivedSuspension, InvalidRequest> =>
  typeof suspendedAt === "number" && Number.isSafeInteger(suspendedAt) && suspendedAt >= 0
    ? within("account", parseAccountId(account)).map((account) => ({ account, suspendedAt }))
    : invalid(["suspendedAt"], "must be a whole number, 0 or more");

const parseRetiredAddress = ({ email }: Fields): Result<{ readonly email: EmailAddress }, InvalidRequest> =>
  within("email", parseEmailAddress(email)).map((parsed) => ({ email: parsed }));

/** Fails if parsing dropped a field, so that a field from a newer version is not silently lost. */
const complete = <T extends object>(
  fields: Fields,
  parsed: Result<T, InvalidRequest>,
): Result<T, InvalidRequest> =>
  parsed.andThen((value) => {
    const unknown = droppedField(fields, value);
    return unknown === null ? ok(value) : invalid(unknown, "is not a known field");
  });

/** The fields of the record's line, besides its format and kind, in any order. */
export const fieldsOf = (record: ArchiveRecord): object => {
  switch (record.kind) {
    case "suspension":
      return record.suspension;
    case "recipient":
      return record.recipient;
    case "alias":
      return record.alias;
    case "contact":
      return record.contact;
    case "blocked_sender":
      return record.blockedSender;
    case "webhook":
      return record.webhook;
    case "api_key":
      return record.apiKey;
    case "retired_address":
      return { email: record.email };
    case "mail_ledger_entry":
      return record.entry;
  }
};

const parsers = {
  suspension: parseSuspension,
  recipient: parseArchivedRecipient,
  alias: parseAlias,
  contact: parseContact,
  blocked_sender: parseBlockedSender,
  webhook: parseWebhook,
  api_key: parseApiKey,
  retired_address: parseRetiredAddress,
  mail_ledger_entry: parseArchivedEntry,
} satisfies Record<ArchiveRecord["kind"], (fields: Fields) => Result<object, InvalidRequest>>;

/** Parsing puts the fields in a fixed order, so lines do not depend on the store. */
const inOrder = (record: ArchiveRecord): object =>
  parsers[record.kind]({ ...fieldsOf(record) }).match(
    (fields): object => fields,
    ({ issues }) => {
      throw new TypeError(`The record is invalid: ${issues.map(({ path }) => path.join(".")).join(", ")}`);
    },
  );

/**
 * The record as one line of JSON, without a line break. Equal records from different stores give equal lines. Lines
 * contain email addresses, the nonces of verification links and the secrets of webhooks: protect them as you protect the store. Of the
 * secrets of API keys, they contain hashes only.
 *
 * @throws TypeError if the record is not valid; records read from a store always are
 * @example
 * ```ts
 * const line = writeRecord(record); // {"postern":2,"kind":"alias","id":"…",…}
 * ```
 */
export const writeRecord = (record: ArchiveRecord): string =>
  JSON.stringify({ postern: FORM, kind: record.kind, ...inOrder(record) });

const parseJson = (line: string): Result<unknown, InvalidRequest> => {
  try {
    return ok(JSON.parse(line));
  } catch {
    return invalid([], "is not JSON");
  }
};

/**
 * Parses a line that this or an earlier version of `writeRecord` wrote. Returns `invalid_request` for any other line,
 * including one with a field that this version does not know. Issues contain field names, but no values.
 *
 * @example
 * ```ts
 * const record = readRecord(line);
 * if (record.isErr()) console.error(record.error.issues);
 * ```
 */
export const readRecord = (line: string): Result<ArchiveRecord, InvalidRequest> =>
  parseJson(line).andThen((json): Result<ArchiveRecord, InvalidRequest> => {
    if (!isObject(json)) return invalid([], "must be an object");
    const { postern, kind, ...fields }: Fields = { ...json };
    if (postern !== FORM && postern !== OLD_FORM) {
      return invalid(["postern"], `must be ${OLD_FORM} or ${FORM}, the formats that this version reads`);
    }
    switch (kind) {
      case "suspension":
        return complete(fields, parsers[kind](fields)).map((suspension) => ({ kind, suspension }));
      case "recipient": {
        const { mailedAt: _, ...current } = fields;
        const known = postern === OLD_FORM ? current : fields;
        return complete(known, parsers[kind](fields)).map((recipient) => ({ kind, recipient }));
      }
      case "alias":
        return complete(fields, parsers[kind](fields)).map((alias) => ({ kind, alias }));
      case "contact":
        return complete(fields, parsers[kind](fields)).map((contact) => ({ kind, contact }));
      case "blocked_sender":
        return complete(fields, parsers[kind](fields)).map((blockedSender) => ({ kind, blockedSender }));
      case "webhook":
        return complete(fields, parsers[kind](fields)).map((webhook) => ({ kind, webhook }));
      case "api_key":
        return complete(fields, parsers[kind](fields)).map((apiKey) => ({ kind, apiKey }));
      case "retired_address":
        return complete(fields, parsers[kind](fields)).map(({ email }) => ({ kind, email }));
      case "mail_ledger_entry":
        return complete(fields, parsers[kind](fields)).map((entry) => ({ kind, entry }));
      default:
        return invalid(["kind"], `must be one of: ${Object.keys(parsers).join(", ")}`);
    }
  });
