export { Alias, attachments } from "./alias.ts";
export { AliasDomains } from "./alias-domains.ts";
export { Description } from "./description.ts";
export { type Destination, Destinations, MOST_RECIPIENTS, RecipientIds } from "./destinations.ts";
export { Domain, EmailAddress } from "./email-address.ts";
export type {
  AddressNotAllowed,
  AddressTaken,
  AliasDeleted,
  AliasNotFound,
  Conflict,
  DomainError,
  Ineligibility,
  IneligibleRecipient,
  InputIssue,
  InvalidRequest,
  LinkInvalid,
  PreconditionFailed,
  RecipientAttached,
  RecipientsIneligible,
  Unavailable,
} from "./errors.ts";
export { AccountId, AliasId, compareIds, RecipientId } from "./identifiers.ts";
export { MAIL_OUTCOMES, type MailOutcome, Tallies, type Tally } from "./mail-outcome.ts";
export { isNonEmpty, type NonEmpty } from "./non-empty.ts";
export { PageLimit } from "./page.ts";
export { parse } from "./parse.ts";
export type {
  Aliases,
  Clock,
  Ids,
  LinkClaims,
  Page,
  PageRequest,
  Recipients,
  Secrets,
  Store,
  VerificationMail,
} from "./ports.ts";
export { Recipient } from "./recipient.ts";
export {
  type AddRecipientCommand,
  type AddRecipientError,
  addRecipient,
  type RecipientAdded,
} from "./use-cases/add-recipient.ts";
export { type CreateAliasCommand, type CreateAliasError, createAlias } from "./use-cases/create-alias.ts";
export { type ListAliasesQuery, listAliases } from "./use-cases/list-aliases.ts";
export { type ListRecipientsQuery, listRecipients } from "./use-cases/list-recipients.ts";
export {
  type ReplaceRecipientsCommand,
  type ReplaceRecipientsError,
  replaceRecipients,
} from "./use-cases/replace-recipients.ts";
export {
  type VerifyRecipientCommand,
  type VerifyRecipientError,
  verifyRecipient,
} from "./use-cases/verify-recipient.ts";
export { LINK_LIFETIME, type VerificationSent } from "./verification.ts";
