export { Alias, attachments } from "./alias.ts";
export { AliasDomains } from "./alias-domains.ts";
export { AliasFilter } from "./alias-filter.ts";
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
  RateLimited,
  RecipientAttached,
  RecipientNotFound,
  RecipientsIneligible,
  Unavailable,
} from "./errors.ts";
export { AccountId, AliasId, compareIds, EventId, RecipientId } from "./identifiers.ts";
export { ADDRESS_FORMATS, type AddressFormat } from "./local-part.ts";
export { MAIL_OUTCOMES, type MailEvent, type MailOutcome, Tallies, type Tally } from "./mail-outcome.ts";
export { isNonEmpty, type NonEmpty } from "./non-empty.ts";
export { PageLimit } from "./page.ts";
export { parse } from "./parse.ts";
export type {
  Aliases,
  AliasReference,
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
export { type DeleteAliasCommand, type DeleteAliasError, deleteAlias } from "./use-cases/delete-alias.ts";
export {
  type DeleteRecipientCommand,
  type DeleteRecipientError,
  deleteRecipient,
} from "./use-cases/delete-recipient.ts";
export { type GetAliasError, type GetAliasQuery, getAlias } from "./use-cases/get-alias.ts";
export { type GetRecipientError, type GetRecipientQuery, getRecipient } from "./use-cases/get-recipient.ts";
export { type ListAliasesQuery, listAliases } from "./use-cases/list-aliases.ts";
export { type ListRecipientsQuery, listRecipients } from "./use-cases/list-recipients.ts";
export {
  type Reassignment,
  type ReassignRecipientCommand,
  type ReassignRecipientError,
  reassignRecipient,
} from "./use-cases/reassign-recipient.ts";
export {
  type RecordMailOutcomeCommand,
  type RecordMailOutcomeError,
  recordMailOutcome,
} from "./use-cases/record-mail-outcome.ts";
export {
  type ReplaceRecipientsCommand,
  type ReplaceRecipientsError,
  replaceRecipients,
} from "./use-cases/replace-recipients.ts";
export {
  type ResendVerificationCommand,
  type ResendVerificationError,
  resendVerification,
  type VerificationResent,
} from "./use-cases/resend-verification.ts";
export { type RestoreAliasCommand, type RestoreAliasError, restoreAlias } from "./use-cases/restore-alias.ts";
export { type UpdateAliasCommand, type UpdateAliasError, updateAlias } from "./use-cases/update-alias.ts";
export {
  type UpdateRecipientCommand,
  type UpdateRecipientError,
  updateRecipient,
} from "./use-cases/update-recipient.ts";
export {
  type VerifyRecipientCommand,
  type VerifyRecipientError,
  verifyRecipient,
} from "./use-cases/verify-recipient.ts";
export { LINK_LIFETIME, type VerificationSent } from "./verification.ts";
