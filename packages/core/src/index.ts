export { ADDRESS_FORMATS, type AddressFormat } from "./alias/address/local-part.ts";
export { Alias, attachments } from "./alias/alias.ts";
export { AliasDomains } from "./alias/alias-domains.ts";
export { AliasFilter } from "./alias/alias-filter.ts";
export { Description } from "./alias/description.ts";
export { type Destination, Destinations, MOST_RECIPIENTS, RecipientIds } from "./alias/destinations.ts";
export { MAIL_OUTCOMES, type MailEvent, type MailOutcome, Tallies, type Tally } from "./alias/tallies.ts";
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
export { Recipient } from "./recipient/recipient.ts";
export {
  type CreateAliasCommand,
  type CreateAliasError,
  createAlias,
} from "./use-cases/aliases/create-alias.ts";
export {
  type DeleteAliasCommand,
  type DeleteAliasError,
  deleteAlias,
} from "./use-cases/aliases/delete-alias.ts";
export { type GetAliasError, type GetAliasQuery, getAlias } from "./use-cases/aliases/get-alias.ts";
export { type ListAliasesQuery, listAliases } from "./use-cases/aliases/list-aliases.ts";
export {
  type RecordMailOutcomeCommand,
  type RecordMailOutcomeError,
  recordMailOutcome,
} from "./use-cases/aliases/record-mail-outcome.ts";
export {
  type ReplaceRecipientsCommand,
  type ReplaceRecipientsError,
  replaceRecipients,
} from "./use-cases/aliases/replace-recipients.ts";
export {
  type RestoreAliasCommand,
  type RestoreAliasError,
  restoreAlias,
} from "./use-cases/aliases/restore-alias.ts";
export {
  type UpdateAliasCommand,
  type UpdateAliasError,
  updateAlias,
} from "./use-cases/aliases/update-alias.ts";
export {
  type AddRecipientCommand,
  type AddRecipientError,
  addRecipient,
  type RecipientAdded,
} from "./use-cases/recipients/add-recipient.ts";
export {
  type DeleteRecipientCommand,
  type DeleteRecipientError,
  deleteRecipient,
} from "./use-cases/recipients/delete-recipient.ts";
export {
  type GetRecipientError,
  type GetRecipientQuery,
  getRecipient,
} from "./use-cases/recipients/get-recipient.ts";
export { type ListRecipientsQuery, listRecipients } from "./use-cases/recipients/list-recipients.ts";
export {
  type Reassignment,
  type ReassignRecipientCommand,
  type ReassignRecipientError,
  reassignRecipient,
} from "./use-cases/recipients/reassign-recipient.ts";
export {
  type ResendVerificationCommand,
  type ResendVerificationError,
  resendVerification,
  type VerificationResent,
} from "./use-cases/recipients/resend-verification.ts";
export {
  type UpdateRecipientCommand,
  type UpdateRecipientError,
  updateRecipient,
} from "./use-cases/recipients/update-recipient.ts";
export {
  type VerifyRecipientCommand,
  type VerifyRecipientError,
  verifyRecipient,
} from "./use-cases/recipients/verify-recipient.ts";
export { parse } from "./use-cases/shared/parse.ts";
export { LINK_LIFETIME, type VerificationSent } from "./use-cases/shared/send-verification.ts";
export { Domain, EmailAddress } from "./values/email-address.ts";
export { AccountId, AliasId, compareIds, EventId, RecipientId } from "./values/identifiers.ts";
export { isNonEmpty, type NonEmpty } from "./values/non-empty.ts";
export { PageLimit } from "./values/page.ts";
