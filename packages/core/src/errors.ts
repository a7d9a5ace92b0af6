import type { AliasId, RecipientId } from "./values/identifiers.ts";
import type { NonEmpty } from "./values/non-empty.ts";

/** The input is not of the documented form. Says where and why, never what was sent. */
export type InvalidRequest = { readonly code: "invalid_request"; readonly issues: readonly InputIssue[] };
/** `path` leads to what is wrong: names of fields and places in lists. */
export type InputIssue = { readonly path: readonly string[]; readonly reason: string };

/** No such alias in this account; another account's alias looks just the same. */
export type AliasNotFound = { readonly code: "alias_not_found" };

/** The alias is deleted, so its settings cannot be changed. */
export type AliasDeleted = { readonly code: "alias_deleted" };

/** Some listed recipients may not receive mail; every one of them is named, in the order listed. */
export type RecipientsIneligible = {
  readonly code: "recipients_ineligible";
  readonly recipients: NonEmpty<IneligibleRecipient>;
};
export type IneligibleRecipient = { readonly id: RecipientId; readonly reason: Ineligibility };
export type Ineligibility = "unknown" | "unverified" | "inactive";

/** No such recipient in this account; another account's recipient looks just the same. */
export type RecipientNotFound = { readonly code: "recipient_not_found" };

/** `aliases` aliases still forward to the recipient, so it cannot be deactivated or deleted; `first` are up to ten of them. */
export type RecipientAttached = {
  readonly code: "recipient_attached";
  readonly aliases: number;
  readonly first: readonly AliasId[];
};

/** The address already belongs to an alias (of any account) or to a recipient of this account. */
export type AddressTaken = { readonly code: "address_taken" };

/**
 * The address is well-formed but of no use here: an alias outside the alias domains or of a name that RFC 2142
 * reserves, a recipient inside the alias domains.
 */
export type AddressNotAllowed = {
  readonly code: "address_not_allowed";
  readonly reason: "not_an_alias_domain" | "reserved" | "is_an_alias_domain";
};

/** The link is expired, forged, superseded or not of this service: deliberately not told apart. */
export type LinkInvalid = { readonly code: "link_invalid" };

/** Enough messages were sent to this recipient. One more may be after `retryAfter` milliseconds. */
export type RateLimited = { readonly code: "rate_limited"; readonly retryAfter: number };

/** The alias is no longer at a version the caller named. */
export type PreconditionFailed = { readonly code: "precondition_failed" };

/**
 * The store did not answer, or too many writers contended. Nothing is known to be applied: an idempotent
 * call may be repeated as it is.
 */
export type Unavailable = { readonly code: "unavailable" };

/** Every failure that a use case can return. `code` is stable; match on it. */
export type DomainError =
  | InvalidRequest
  | AliasNotFound
  | AliasDeleted
  | RecipientsIneligible
  | RecipientNotFound
  | RecipientAttached
  | AddressTaken
  | AddressNotAllowed
  | LinkInvalid
  | RateLimited
  | PreconditionFailed
  | Unavailable;

/** A store's word that what the caller decided upon has changed since: load again and decide again. */
export type Conflict = { readonly code: "conflict" };
