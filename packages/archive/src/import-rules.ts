import { isDeepStrictEqual } from "node:util";
import {
  type AddressNotAllowed,
  type Alias,
  type AliasDomains,
  type Clock,
  Destinations,
  EmailAddress,
  err,
  type InputIssue,
  type InvalidRequest,
  MAIL_OUTCOMES,
  ok,
  parseRecipientIds,
  type Result,
  type Store,
  type Unavailable,
} from "@postern/core";
import { outOfBounds } from "./out-of-bounds.ts";
import { type ArchiveRecord, fieldsOf } from "./record.ts";

/** The rules that records must comply with to be imported. */
export type ImportRules = {
  /**
   * The domains that addresses of aliases, retired ones included, must be on, addresses of recipients must not be on, and API keys may
   * name.
   */
  readonly aliasDomains: AliasDomains;
  /** Times must be at most a day ahead of it. */
  readonly clock: Pick<Clock, "now">;
  /**
   * Whether an address is reserved, so that no alias can have it: `reservedNames([])` of `@postern/core`, for example. A
   * store can contain aliases that were created before their names were reserved: to move these, reserve nothing.
   */
  readonly isReserved: (email: EmailAddress) => boolean;
};

/** A destination of the alias is not the address of its recipient, or is a duplicate. */
export type DestinationsDiffer = { readonly code: "destinations_differ" };

/** Some recipients of the alias are not in the store, or are not verified and active. */
export type AliasRecipientsIneligible = { readonly code: "recipients_ineligible" };

const MAX_ISSUES = 20;

const checkAddress = (
  record: ArchiveRecord,
  { aliasDomains, isReserved }: ImportRules,
): Result<void, AddressNotAllowed> => {
  const refuse = (reason: AddressNotAllowed["reason"]) =>
    err({ code: "address_not_allowed", reason } as const);
  const isOnAliasDomain = (email: EmailAddress) => aliasDomains.includes(EmailAddress.domain(email));
  switch (record.kind) {
    case "recipient":
      return isOnAliasDomain(record.recipient.email) ? refuse("is_an_alias_domain") : ok();
    case "alias":
      if (!isOnAliasDomain(record.alias.email)) return refuse("not_an_alias_domain");
      return isReserved(record.alias.email) ? refuse("reserved") : ok();
    // The owner of another alias may have written to an alias, and been blocked.
    case "contact":
    case "blocked_sender":
    case "webhook":
    case "suspension":
    case "mail_ledger_entry":
      return ok();
    case "api_key": {
      const { aliasDomain } = record.apiKey;
      return aliasDomain === null || aliasDomains.includes(aliasDomain)
        ? ok()
        : refuse("not_an_alias_domain");
    }
    case "retired_address":
      return isOnAliasDomain(record.email) ? ok() : refuse("not_an_alias_domain");
  }
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** How far ahead of the clock a time may be, if other than for most times. An alias and an API key can end at any time. */
const AHEAD_MS: { readonly [Kind in ArchiveRecord["kind"]]?: Readonly<Record<string, number>> } = {
  alias: { activeUntil: Infinity },
  api_key: { expiresAt: Infinity },
  // An entry expires up to 30 days after its last message.
  mail_ledger_entry: { expiresAt: 31 * DAY_MS },
};

const inconsistentTallies = ({ tallies }: Alias): readonly InputIssue[] =>
  MAIL_OUTCOMES.filter(
    (outcome) => (tallies[outcome].count === 0) !== (tallies[outcome].lastAt === null),
  ).map((outcome) => ({
    path: ["tallies", outcome],
    reason: "must have a last time if its count is not 0, and only then",
  }));

/** Checks what can be checked without the store: the address, and the bounds of texts, lists, counters and times. */
export const checkRecord = (
  record: ArchiveRecord,
  rules: ImportRules,
): Result<void, InvalidRequest | AddressNotAllowed> => {
  const issues = [
    ...outOfBounds(fieldsOf(record), rules.clock.now(), AHEAD_MS[record.kind]),
    ...(record.kind === "alias" ? inconsistentTallies(record.alias) : []),
  ];
  if (issues.length > 0) return err({ code: "invalid_request", issues: issues.slice(0, MAX_ISSUES) });
  return checkAddress(record, rules);
};

/**
 * Checks that the destinations of an alias are the addresses of its account's recipients. A deleted alias forwards to
 * none, and its recipients may have been deleted; those that still exist must have the addresses that it remembers.
 */
export const checkDestinations = async (
  { recipients }: { readonly recipients: Pick<Store["recipients"], "findAll"> },
  { account, destinations, deletedAt }: Alias,
): Promise<Result<void, InvalidRequest | AliasRecipientsIneligible | DestinationsDiffer | Unavailable>> => {
  const ids = parseRecipientIds(destinations.map(({ recipientId }) => recipientId));
  if (ids.isErr()) {
    const issues = ids.error.issues.map(({ reason }) => ({ path: ["destinations"], reason }));
    return err({ code: "invalid_request", issues });
  }
  const found = await recipients.findAll(account, ids.value);
  if (found.isErr()) return err(found.error);
  if (deletedAt === null) {
    const chosen = Destinations.choose(account, ids.value, found.value);
    if (chosen.isErr()) return err({ code: "recipients_ineligible" });
    return isDeepStrictEqual(chosen.value, destinations) ? ok() : err({ code: "destinations_differ" });
  }
  const emails = new Map(found.value.map(({ id, email }) => [id, email]));
  const unique = new Set(ids.value).size === ids.value.length;
  const same = destinations.every(({ recipientId, email }) => (emails.get(recipientId) ?? email) === email);
  return unique && same ? ok() : err({ code: "destinations_differ" });
};
