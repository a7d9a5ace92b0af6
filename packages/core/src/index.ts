export { err, ok, type Result } from "neverthrow";
export { type AccountLimits, DEFAULT_LIMITS, NO_LIMITS, parseAccountLimits } from "./account/limits.ts";
export { ADDRESS_FORMATS, type AddressFormat } from "./alias/address/local-part.ts";
export { parseReservedNames, reservedNames } from "./alias/address/reserved-names.ts";
export { Alias, type AliasSettings, attachments } from "./alias/alias.ts";
export { type AliasDomains, parseAliasDomains } from "./alias/alias-domains.ts";
export { AliasFilter, MAX_SEARCH_LENGTH } from "./alias/alias-filter.ts";
export { MAX_DESCRIPTION_LENGTH } from "./alias/description.ts";
export {
  type Destination,
  Destinations,
  MAX_RECIPIENTS,
  parseRecipientIds,
  type RecipientIds,
} from "./alias/destinations.ts";
export {
  ACCEPT_FROM,
  type AcceptFrom,
  AliasRules,
  MAX_ACTIVE_UNTIL,
  MAX_LISTED_SENDERS,
  MAX_MESSAGES_LEFT,
} from "./alias/rules.ts";
export { searchPage } from "./alias/search-page.ts";
export { MAX_SEARCH_WORDS, type SearchTerms, searchedWords, searchTerms } from "./alias/search-terms.ts";
export { parseAlias, parseAliasWith, parseDestination } from "./alias/stored-alias.ts";
export {
  EVENT_RETENTION,
  MAIL_OUTCOMES,
  type MailEvent,
  type MailOutcome,
  Tallies,
  type Tally,
} from "./alias/tallies.ts";
export type { Cause } from "./cause.ts";
export { BlockedSender, parseBlockedSender } from "./contact/blocked-sender.ts";
export {
  BLOCKINGS,
  type Blocking,
  Contact,
  type ContactSettings,
  type Encounter,
} from "./contact/contact.ts";
export { type ContactPosition, parseContactPosition, partsOfPosition } from "./contact/contact-position.ts";
export { MAX_ENCOUNTERS, Meeting } from "./contact/meeting.ts";
export { parseSender, Sender } from "./contact/sender.ts";
export { parseContact } from "./contact/stored-contact.ts";
export {
  type AccountCheck,
  Difference,
  differencesByAccount,
  type FindDifferences,
  type Remedy,
  type Repair,
} from "./differences.ts";
export type {
  AccountSuspended,
  AddressNotAllowed,
  AddressTaken,
  AliasDeleted,
  AliasInactive,
  AliasNotFound,
  AliasSuspended,
  Conflict,
  ContactNotFound,
  DomainError,
  Ineligibility,
  IneligibleRecipient,
  LinkInvalid,
  MailboxSuppressed,
  MailRefused,
  MessageNotFound,
  MessageNotKept,
  NotSent,
  PreconditionFailed,
  RateLimited,
  RecipientAttached,
  RecipientNotFound,
  RecipientsIneligible,
  TooManyAliases,
  TooManyBlockedSenders,
  TooManyContacts,
  TooManyRecipients,
  TooManyUnverifiedRecipients,
  TooManyWebhooks,
  Unavailable,
  WebhookNotFound,
  WebhooksDisabled,
} from "./errors.ts";
export {
  parseBlockedSenderId,
  parseContactId,
  parseMessageId,
  parseSpoolId,
  parseWebhookId,
} from "./mail/mail-ids.ts";
export type { MessageId } from "./mail/message.ts";
export { FAILURE_REASONS, type FailureReason } from "./message-log/failure-reason.ts";
export {
  BLOCKED_REASONS,
  type BlockedReason,
  type KeptBody,
  LOG_RETENTION,
  LOGGED_COPY_STATES,
  type LoggedCopy,
  type LoggedCopyState,
  LoggedMessage,
  MAX_SUBJECT_LENGTH,
} from "./message-log/logged-message.ts";
export {
  type MessagePosition,
  parseMessagePosition,
  partsOfMessagePosition,
} from "./message-log/message-position.ts";
export { parseResend, RESEND_RETENTION, type Resend } from "./message-log/resend.ts";
export { parseLoggedMessage } from "./message-log/stored-logged-message.ts";
export { pageOf } from "./page-of.ts";
export type {
  AccountsCursor,
  Aliases,
  AliasPlace,
  AliasReference,
  BlockedSenders,
  Clock,
  Contacts,
  ContactsCursor,
  Delivery,
  Ids,
  LinkClaims,
  MailLedger,
  MessageLog,
  NextTurn,
  OnRetry,
  OnUnreported,
  Outbox,
  Page,
  PageRequest,
  PortResult,
  Recipients,
  Resends,
  Secrets,
  Store,
  Suspensions,
  Turn,
  TurnState,
  VerificationMail,
  WantedTurns,
  WebhookSending,
  Webhooks,
} from "./ports.ts";
export { type FailureOf, type Ports, type Postern, postern } from "./postern.ts";
export { Recipient, type RecipientSettings, type VerificationDelivery } from "./recipient/recipient.ts";
export { parseRecipient } from "./recipient/stored-recipient.ts";
export { PosternError, type ThrowingPostern, throwing } from "./throwing.ts";
export {
  type AccountErasure,
  type EraseAccountCommand,
  type EraseAccountError,
  eraseAccount,
} from "./use-cases/accounts/erase-account.ts";
export {
  type ResumeAccountCommand,
  type ResumeAccountError,
  resumeAccount,
} from "./use-cases/accounts/resume-account.ts";
export {
  type SuspendAccountCommand,
  type SuspendAccountError,
  suspendAccount,
} from "./use-cases/accounts/suspend-account.ts";
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
export { type EraseAliasCommand, type EraseAliasError, eraseAlias } from "./use-cases/aliases/erase-alias.ts";
export { type GetAliasError, type GetAliasQuery, getAlias } from "./use-cases/aliases/get-alias.ts";
export {
  type ListAliasesError,
  type ListAliasesQuery,
  listAliases,
} from "./use-cases/aliases/list-aliases.ts";
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
  type ResolveAliasError,
  type ResolveAliasQuery,
  type ResolvedAlias,
  resolveAlias,
} from "./use-cases/aliases/resolve-alias.ts";
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
  type UpdateAliasRulesCommand,
  type UpdateAliasRulesError,
  updateAliasRules,
} from "./use-cases/aliases/update-alias-rules.ts";
export {
  type BlockSenderCommand,
  type BlockSenderError,
  blockSender,
} from "./use-cases/blocked-senders/block-sender.ts";
export {
  type ListBlockedSendersError,
  type ListBlockedSendersQuery,
  listBlockedSenders,
} from "./use-cases/blocked-senders/list-blocked-senders.ts";
export {
  type UnblockSenderCommand,
  type UnblockSenderError,
  unblockSender,
} from "./use-cases/blocked-senders/unblock-sender.ts";
export type { AddressedContact, ContactTarget } from "./use-cases/contacts/addressed-contact.ts";
export {
  type CreateContactCommand,
  type CreateContactError,
  createContact,
} from "./use-cases/contacts/create-contact.ts";
export {
  type GetContactError,
  type GetContactQuery,
  getContact,
} from "./use-cases/contacts/get-contact.ts";
export {
  type ListContactsError,
  type ListContactsQuery,
  listContacts,
} from "./use-cases/contacts/list-contacts.ts";
export {
  type UpdateContactCommand,
  type UpdateContactError,
  updateContact,
} from "./use-cases/contacts/update-contact.ts";
export type { MessageTarget } from "./use-cases/messages/find-message.ts";
export { type GetMessageError, getMessage } from "./use-cases/messages/get-message.ts";
export {
  type ListMessagesError,
  type ListMessagesQuery,
  listMessages,
} from "./use-cases/messages/list-messages.ts";
export { type ResendMessageError, resendMessage } from "./use-cases/messages/resend-message.ts";
export {
  type AddRecipientCommand,
  type AddRecipientError,
  addRecipient,
  type RecipientAdded,
} from "./use-cases/recipients/add-recipient.ts";
export {
  type AdoptRecipientCommand,
  type AdoptRecipientError,
  adoptRecipient,
} from "./use-cases/recipients/adopt-recipient.ts";
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
export {
  type ListRecipientsError,
  type ListRecipientsQuery,
  listRecipients,
} from "./use-cases/recipients/list-recipients.ts";
export {
  type Reassignment,
  type ReassignRecipientCommand,
  type ReassignRecipientError,
  reassignRecipient,
} from "./use-cases/recipients/reassign-recipient.ts";
export {
  type ReleaseMailboxCommand,
  type ReleaseMailboxError,
  releaseMailbox,
} from "./use-cases/recipients/release-mailbox.ts";
export {
  type ResendVerificationCommand,
  type ResendVerificationError,
  resendVerification,
  type VerificationResent,
} from "./use-cases/recipients/resend-verification.ts";
export {
  type SuppressMailboxCommand,
  type SuppressMailboxError,
  suppressMailbox,
} from "./use-cases/recipients/suppress-mailbox.ts";
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
export type { AliasTarget } from "./use-cases/shared/change-alias.ts";
export type { RecipientTarget } from "./use-cases/shared/change-recipient.ts";
export type { TimeLeft } from "./use-cases/shared/deadline.ts";
export type { Operation, Parsed } from "./use-cases/shared/operation.ts";
export { LINK_LIFETIME, type VerificationSent } from "./use-cases/shared/send-verification.ts";
export { MAX_TOKEN_LENGTH } from "./use-cases/shared/verification-token.ts";
export {
  type CreateWebhookCommand,
  type CreateWebhookError,
  createWebhook,
} from "./use-cases/webhooks/create-webhook.ts";
export { type DeleteWebhookError, deleteWebhook } from "./use-cases/webhooks/delete-webhook.ts";
export type { WebhookTarget } from "./use-cases/webhooks/find-webhook.ts";
export { type GetWebhookError, getWebhook } from "./use-cases/webhooks/get-webhook.ts";
export {
  type ListWebhooksError,
  type ListWebhooksQuery,
  listWebhooks,
} from "./use-cases/webhooks/list-webhooks.ts";
export {
  type EventOutcome,
  type EventSending,
  type EventSendingPorts,
  eventSending,
  MAX_TURNS,
} from "./use-cases/webhooks/send-events.ts";
export { type TestWebhookError, testWebhook } from "./use-cases/webhooks/test-webhook.ts";
export {
  type UpdateWebhookCommand,
  type UpdateWebhookError,
  updateWebhook,
} from "./use-cases/webhooks/update-webhook.ts";

export {
  type Domain,
  EmailAddress,
  MAX_ADDRESS_LENGTH,
  MAX_DOMAIN_LENGTH,
  parseDomain,
  parseEmailAddress,
} from "./values/email-address.ts";
export {
  type AccountId,
  type AliasId,
  type BlockedSenderId,
  type ContactId,
  comesBefore,
  compareIds,
  type EventId,
  MAX_ID_LENGTH,
  parseAccountId,
  parseAliasId,
  parseEventId,
  parseRecipientId,
  type RecipientId,
  type SpoolId,
  type WebhookId,
} from "./values/identifiers.ts";
export { isNonEmpty, type NonEmpty } from "./values/non-empty.ts";
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "./values/page.ts";
export type { InputIssue, InvalidRequest } from "./values/parse.ts";
export {
  LedgerEntry,
  type LedgerKey,
  parseLedgerEntry,
  parseLedgerKey,
} from "./verification/ledger-entry.ts";
export { walkPages } from "./walk-pages.ts";
export {
  ANNOUNCEMENT_RETENTION,
  Announcement,
  type AnnouncementPosition,
  parseAnnouncement,
  type Subject,
} from "./webhook/announcement.ts";
export { parseWebhook } from "./webhook/stored-webhook.ts";
export {
  ALIAS_EVENTS,
  type AliasEventType,
  EVENT_TYPES,
  type EventType,
  MAX_WEBHOOKS,
  MESSAGE_EVENTS,
  type MessageEventType,
  OFF_REASONS,
  type OffReason,
  Webhook,
  type WebhookPlace,
  type WebhookSettings,
} from "./webhook/webhook.ts";
export type { SubjectEvent, TestEvent, WebhookEvent } from "./webhook/webhook-event.ts";
export type { WebhookSecret } from "./webhook/webhook-secret.ts";
export { MAX_WEBHOOK_URL_LENGTH, type WebhookUrl } from "./webhook/webhook-url.ts";
