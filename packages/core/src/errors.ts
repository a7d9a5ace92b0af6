import type { Cause } from "./values/cause.ts";
import type { AccountId, AliasId, RecipientId } from "./values/identifiers.ts";
import type { NonEmpty } from "./values/non-empty.ts";
import type { InvalidRequest } from "./values/parse.ts";

/** The account has no such alias. An alias of another account is reported in the same way. */
export type AliasNotFound = { readonly code: "alias_not_found" };

/** The alias is deleted: it accepts no mail, and its settings cannot be changed. */
export type AliasDeleted = { readonly code: "alias_deleted" };

/** The alias exists but is switched off, or its `activeUntil` has passed: it currently accepts no mail. */
export type AliasInactive = {
  readonly code: "alias_inactive";
  readonly account: AccountId;
  readonly aliasId: AliasId;
  /** Whether its `activeUntil` has passed and it is still switched on. */
  readonly isOver: boolean;
};

/** The operator has suspended the account: it can do nothing, and its aliases accept no mail. */
export type AccountSuspended = { readonly code: "account_suspended" };

/** The alias belongs to a suspended account: it currently accepts no mail. */
export type AliasSuspended = AccountSuspended & {
  readonly account: AccountId;
  readonly aliasId: AliasId;
};

/** Some listed recipients cannot be attached. `recipients` names all of them, in the order listed. */
export type RecipientsIneligible = {
  readonly code: "recipients_ineligible";
  readonly recipients: NonEmpty<IneligibleRecipient>;
};
export type IneligibleRecipient = { readonly id: RecipientId; readonly reason: Ineligibility };
export type Ineligibility = "unknown" | "unverified" | "inactive";

/** The account has no recipient that is verified and active, so that there is no default one either. */
export type NoDefaultRecipient = { readonly code: "no_default_recipient" };

/** The account has no such recipient. A recipient of another account is reported in the same way. */
export type RecipientNotFound = { readonly code: "recipient_not_found" };

/** The alias has no such contact. A contact of another alias is reported in the same way. */
export type ContactNotFound = { readonly code: "contact_not_found" };

/** The log of the alias has no such message: messages are removed 30 days after they arrived. */
export type MessageNotFound = { readonly code: "message_not_found" };

/**
 * The message cannot be sent again: nothing failed, or its body has been deleted (no later than 7 days after the
 * failure).
 */
export type MessageNotKept = { readonly code: "message_not_kept" };

/**
 * The recipient is attached to `attached` live aliases, so it can be neither deactivated nor deleted. `aliasIds` names
 * up to ten of them.
 */
export type RecipientAttached = {
  readonly code: "recipient_attached";
  readonly attached: number;
  readonly aliasIds: readonly AliasId[];
};

/** The address belongs to an alias (of any account, erased ones included) or to a recipient of this account. */
export type AddressTaken = { readonly code: "address_taken" };

/**
 * The address is well-formed but cannot be used here: an alias outside the alias domains or with a name that is reserved
 * for their operators, or a recipient or contact inside the alias domains.
 */
export type AddressNotAllowed = {
  readonly code: "address_not_allowed";
  readonly reason: "not_an_alias_domain" | "reserved" | "is_an_alias_domain";
};

/** The link is expired, forged, superseded or from another service; these are deliberately not distinguished. */
export type LinkInvalid = { readonly code: "link_invalid" };

/**
 * Too many verification messages were sent to this mailbox or for this account. The next one can be sent after
 * `retryAfter` milliseconds.
 */
export type RateLimited = { readonly code: "rate_limited"; readonly retryAfter: number };

/** The owner of the mailbox has asked never to be sent a verification message again. */
export type MailboxSuppressed = { readonly code: "mailbox_suppressed" };

/** The account has reached its limit of aliases, deleted ones included. */
export type TooManyAliases = { readonly code: "too_many_aliases"; readonly limit: number };

/** The account has reached its limit of recipients. */
export type TooManyRecipients = { readonly code: "too_many_recipients"; readonly limit: number };

/** The account has reached its limit of unverified recipients. */
export type TooManyUnverifiedRecipients = {
  readonly code: "too_many_unverified_recipients";
  readonly limit: number;
};

/** The alias has reached its limit of contacts, and none of them can be evicted: each was written to, added or blocked. */
export type TooManyContacts = { readonly code: "too_many_contacts"; readonly limit: number };

/** The account has reached its limit of blocked senders. */
export type TooManyBlockedSenders = { readonly code: "too_many_blocked_senders"; readonly limit: number };

/** The account has no such webhook. A webhook of another account is reported in the same way. */
export type WebhookNotFound = { readonly code: "webhook_not_found" };

/** The account has reached the maximum number of webhooks (`MAX_WEBHOOKS`). */
export type TooManyWebhooks = { readonly code: "too_many_webhooks"; readonly limit: number };

/** This service does not send webhook events. */
export type WebhooksDisabled = { readonly code: "webhooks_disabled" };

/** The account has reached the maximum number of API keys (`MAX_API_KEYS`). */
export type TooManyApiKeys = { readonly code: "too_many_api_keys"; readonly limit: number };

/** This service accepts no API keys. */
export type ApiKeysDisabled = { readonly code: "api_keys_disabled" };

/** There is no API key with this secret, or it has expired. */
export type ApiKeyInvalid = { readonly code: "api_key_invalid"; readonly reason: "unknown" | "expired" };

/** The account has created something else with this idempotency key in the last 24 hours. */
export type IdempotencyKeyReused = { readonly code: "idempotency_key_reused" };

/** The stored version is not one that the caller expected. */
export type PreconditionFailed = { readonly code: "precondition_failed" };

/**
 * The store did not respond, or too many writers contended. The call may or may not have been applied, but never
 * partially. An idempotent call can simply be repeated. `cause` is for the operator's log, not for the caller; failures
 * that Postern itself reports always have one.
 */
export type Unavailable = { readonly code: "unavailable"; readonly cause?: Cause | undefined };

/** Every failure that a use case can return. `code` is stable: match on it. */
export type DomainError =
  | InvalidRequest
  | AliasNotFound
  | AliasDeleted
  | AliasInactive
  | AccountSuspended
  | AliasSuspended
  | RecipientsIneligible
  | NoDefaultRecipient
  | RecipientNotFound
  | RecipientAttached
  | ContactNotFound
  | MessageNotFound
  | MessageNotKept
  | AddressTaken
  | AddressNotAllowed
  | LinkInvalid
  | RateLimited
  | MailboxSuppressed
  | TooManyAliases
  | TooManyRecipients
  | TooManyUnverifiedRecipients
  | TooManyContacts
  | TooManyBlockedSenders
  | WebhookNotFound
  | TooManyWebhooks
  | WebhooksDisabled
  | TooManyApiKeys
  | ApiKeysDisabled
  | ApiKeyInvalid
  | IdempotencyKeyReused
  | PreconditionFailed
  | Unavailable;

/**
 * Why the provider that sends our mail did not send a message, although it can be reached: it sends nothing for us at the moment; it does
 * not let us send from our address; or it refused this message or its recipient, without the recipient's mail server having been asked.
 */
export type ProviderRefusal = "sending_paused" | "sender_refused" | "message_rejected";

/** Returned by outgoing mail: the message was definitely not sent. `cause` is for the operator's log. */
export type NotSent = {
  readonly code: "not_sent";
  /** If it is the provider of outgoing mail who does not send it. */
  readonly refusal?: ProviderRefusal | undefined;
  readonly cause?: Cause | undefined;
};

/**
 * Returned by outgoing mail: the mail server refused the recipient or the message, so it was not sent. `permanent` if it said that
 * it would refuse it again (5yz). `cause` is for the operator's log.
 */
export type MailRefused = {
  readonly code: "mail_refused";
  readonly permanent: boolean;
  /** If it is the provider of outgoing mail who does not send it. */
  readonly refusal?: ProviderRefusal | undefined;
  readonly cause?: Cause | undefined;
};

/** Returned by a store: something was created with this idempotency key in the last 24 hours. */
export type AlreadyCreated = { readonly code: "already_created" };

/** Returned by a store: the state on which the caller based its decision has changed. Load and decide again. */
export type Conflict = { readonly code: "conflict" };
