export { err, ok, type Result } from "neverthrow";
export { type AccountLimits, DEFAULT_LIMITS, NO_LIMITS, parseAccountLimits } from "./account/limits.ts";
export {
  type ResumeAccountCommand,
  type ResumeAccountError,
  resumeAccount,
} from "./account/resume-account.ts";
export {
  type SuspendAccountCommand,
  type SuspendAccountError,
  suspendAccount,
} from "./account/suspend-account.ts";
export type { Suspensions } from "./account/suspensions.ts";
export { ADDRESS_FORMATS, type AddressFormat } from "./alias/address/local-part.ts";
export { parseReservedNames, reservedNames } from "./alias/address/reserved-names.ts";
export { Alias, type AliasSettings, attachments } from "./alias/alias.ts";
export type { Aliases, AliasPlace, AliasReference } from "./alias/aliases.ts";
export type { AliasTarget } from "./alias/change-alias.ts";
export { type CreateAliasCommand, type CreateAliasError, createAlias } from "./alias/create-alias.ts";
export { type DeleteAliasCommand, type DeleteAliasError, deleteAlias } from "./alias/delete-alias.ts";
export { MAX_DESCRIPTION_LENGTH } from "./alias/description.ts";
export {
  type Destination,
  Destinations,
  MAX_RECIPIENTS,
  parseRecipientIds,
  type RecipientIds,
} from "./alias/destinations.ts";
export { type EraseAliasCommand, type EraseAliasError, eraseAlias } from "./alias/erase-alias.ts";
export { type GetAliasError, type GetAliasQuery, getAlias } from "./alias/get-alias.ts";
export { type ListAliasesError, type ListAliasesQuery, listAliases } from "./alias/list-aliases.ts";
export {
  type Reassignment,
  type ReassignRecipientCommand,
  type ReassignRecipientError,
  reassignRecipient,
} from "./alias/reassign-recipient.ts";
export {
  type RecordMailOutcomeCommand,
  type RecordMailOutcomeError,
  recordMailOutcome,
} from "./alias/record-mail-outcome.ts";
export {
  type ReplaceRecipientsCommand,
  type ReplaceRecipientsError,
  replaceRecipients,
} from "./alias/replace-recipients.ts";
export {
  type ResolveAliasError,
  type ResolveAliasQuery,
  type ResolvedAlias,
  resolveAlias,
} from "./alias/resolve-alias.ts";
export { type RestoreAliasCommand, type RestoreAliasError, restoreAlias } from "./alias/restore-alias.ts";
export {
  ACCEPT_FROM,
  type AcceptFrom,
  AliasRules,
  MAX_ACTIVE_UNTIL,
  MAX_LISTED_SENDERS,
  MAX_MESSAGES_LEFT,
} from "./alias/rules.ts";
export { AliasFilter, MAX_SEARCH_LENGTH } from "./alias/search/alias-filter.ts";
export { searchPage } from "./alias/search/search-page.ts";
export {
  MAX_SEARCH_WORDS,
  type SearchTerms,
  searchedWords,
  searchTerms,
} from "./alias/search/search-terms.ts";
export { parseAlias, parseAliasWith, parseDestination } from "./alias/stored-alias.ts";
export {
  EVENT_RETENTION,
  MAIL_OUTCOMES,
  type MailEvent,
  type MailOutcome,
  Tallies,
  type Tally,
} from "./alias/tallies.ts";
export { type UpdateAliasCommand, type UpdateAliasError, updateAlias } from "./alias/update-alias.ts";
export {
  type UpdateAliasRulesCommand,
  type UpdateAliasRulesError,
  updateAliasRules,
} from "./alias/update-alias-rules.ts";
export {
  type AccountCheck,
  Difference,
  differencesByAccount,
  type FindDifferences,
  type Remedy,
  type Repair,
} from "./differences.ts";
export {
  type AccountErasure,
  type EraseAccountCommand,
  type EraseAccountError,
  eraseAccount,
} from "./erase-account.ts";
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
export { FAILURE_REASONS, type FailureReason, failureReason } from "./message-log/failure-reason.ts";
export type { MessageTarget } from "./message-log/find-message.ts";
export { type GetMessageError, getMessage } from "./message-log/get-message.ts";
export { type ListMessagesError, type ListMessagesQuery, listMessages } from "./message-log/list-messages.ts";
export {
  BLOCKED_REASONS,
  type BlockedReason,
  FAILED_BODY_RETENTION,
  type KeptBody,
  LOG_RETENTION,
  LOGGED_COPY_STATES,
  type LoggedCopy,
  type LoggedCopyState,
  LoggedMessage,
  MAX_SUBJECT_LENGTH,
} from "./message-log/logged-message.ts";
export type { MessageLog } from "./message-log/message-log.ts";
export {
  type MessagePosition,
  parseMessagePosition,
  partsOfMessagePosition,
} from "./message-log/message-position.ts";
export { parseResend, RESEND_RETENTION, type Resend } from "./message-log/resend.ts";
export { type ResendMessageError, resendMessage } from "./message-log/resend-message.ts";
export type { Resends } from "./message-log/resends.ts";
export { parseLoggedMessage } from "./message-log/stored-logged-message.ts";
export type { TimeLeft } from "./operation/deadline.ts";
export type { Operation, Parsed } from "./operation/operation.ts";
export type { OnRetry } from "./operation/retry-on-conflict.ts";
export { pageOf } from "./page-of.ts";
export type { Clock } from "./ports/clock.ts";
export type { Concealment } from "./ports/concealment.ts";
export type { Ids } from "./ports/ids.ts";
export type { OnUnreported, PortResult } from "./ports/port-result.ts";
export type { LinkClaims, Secrets } from "./ports/secrets.ts";
export {
  type AnyPostern,
  type BasePostern,
  type FailureOf,
  type Ports,
  type Postern,
  postern,
} from "./postern.ts";
export {
  type AddRecipientCommand,
  type AddRecipientError,
  addRecipient,
  type RecipientAdded,
} from "./recipient/add-recipient.ts";
export {
  type AdoptRecipientCommand,
  type AdoptRecipientError,
  adoptRecipient,
} from "./recipient/adopt-recipient.ts";
export type { RecipientTarget } from "./recipient/change-recipient.ts";
export {
  type DeleteRecipientCommand,
  type DeleteRecipientError,
  deleteRecipient,
} from "./recipient/delete-recipient.ts";
export { type GetRecipientError, type GetRecipientQuery, getRecipient } from "./recipient/get-recipient.ts";
export { LedgerEntry, parseLedgerEntry } from "./recipient/ledger-entry.ts";
export {
  type ListRecipientsError,
  type ListRecipientsQuery,
  listRecipients,
} from "./recipient/list-recipients.ts";
export type { MailLedger } from "./recipient/mail-ledger.ts";
export { Recipient, type RecipientSettings, type VerificationDelivery } from "./recipient/recipient.ts";
export type { Recipients } from "./recipient/recipients.ts";
export {
  type ReleaseMailboxCommand,
  type ReleaseMailboxError,
  releaseMailbox,
} from "./recipient/release-mailbox.ts";
export {
  type ResendVerificationCommand,
  type ResendVerificationError,
  resendVerification,
  type VerificationResent,
} from "./recipient/resend-verification.ts";
export { LINK_LIFETIME, type VerificationSent } from "./recipient/send-verification.ts";
export { parseRecipient } from "./recipient/stored-recipient.ts";
export {
  type SuppressMailboxCommand,
  type SuppressMailboxError,
  suppressMailbox,
} from "./recipient/suppress-mailbox.ts";
export {
  type UpdateRecipientCommand,
  type UpdateRecipientError,
  updateRecipient,
} from "./recipient/update-recipient.ts";
export type { VerificationMail } from "./recipient/verification-mail.ts";
export { MAX_TOKEN_LENGTH } from "./recipient/verification-token.ts";
export {
  type VerifyRecipientCommand,
  type VerifyRecipientError,
  verifyRecipient,
} from "./recipient/verify-recipient.ts";
export type { AddressedContact, ContactTarget } from "./senders/addressed-contact.ts";
export { type BlockSenderCommand, type BlockSenderError, blockSender } from "./senders/block-sender.ts";
export { BlockedSender, parseBlockedSender } from "./senders/blocked-sender.ts";
export type { BlockedSenders } from "./senders/blocked-senders.ts";
export {
  BLOCKINGS,
  type Blocking,
  Contact,
  type ContactSettings,
  type Encounter,
} from "./senders/contact.ts";
export { type ContactPosition, parseContactPosition, partsOfPosition } from "./senders/contact-position.ts";
export type { Contacts, ContactsCursor } from "./senders/contacts.ts";
export {
  type CreateContactCommand,
  type CreateContactError,
  createContact,
} from "./senders/create-contact.ts";
export { type GetContactError, type GetContactQuery, getContact } from "./senders/get-contact.ts";
export {
  type ListBlockedSendersError,
  type ListBlockedSendersQuery,
  listBlockedSenders,
} from "./senders/list-blocked-senders.ts";
export { type ListContactsError, type ListContactsQuery, listContacts } from "./senders/list-contacts.ts";
export { MAX_ENCOUNTERS, Meeting } from "./senders/meeting.ts";
export {
  contactAddress,
  contactOfReverseAddress,
  isReverseAddress,
  newContactId,
  reverseAddress,
} from "./senders/reverse-address.ts";
export { parseContact } from "./senders/stored-contact.ts";
export {
  type UnblockSenderCommand,
  type UnblockSenderError,
  unblockSender,
} from "./senders/unblock-sender.ts";
export {
  type UpdateContactCommand,
  type UpdateContactError,
  updateContact,
} from "./senders/update-contact.ts";
export type { AccountsCursor, AnyStore, BaseStore, Store, StoreParts } from "./store.ts";
export { PosternError, type ThrowingPostern, throwing } from "./throwing.ts";
export { type AliasDomains, parseAliasDomains } from "./values/alias-domains.ts";
export {
  newCopyId,
  newMessageId,
  newSpoolId,
  parseBlockedSenderId,
  parseContactId,
  parseCopyId,
  parseMessageId,
  parseSpoolId,
  parseWebhookId,
} from "./values/base32-ids.ts";
export type { Cause } from "./values/cause.ts";
export {
  type Domain,
  EmailAddress,
  MAX_ADDRESS_LENGTH,
  MAX_DOMAIN_LENGTH,
  parseDomain,
  parseEmailAddress,
} from "./values/email-address.ts";
export type { MessageId } from "./values/identifiers.ts";
export {
  type AccountId,
  type AliasId,
  type BlockedSenderId,
  type ContactId,
  type CopyId,
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
export { type LedgerKey, parseLedgerKey } from "./values/ledger-key.ts";
export { isNonEmpty, type NonEmpty } from "./values/non-empty.ts";
export type { Page, PageRequest } from "./values/page.ts";
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "./values/page.ts";
export type { InputIssue, InvalidRequest } from "./values/parse.ts";
export { parseSender, Sender } from "./values/sender.ts";
export { walkPages } from "./walk-pages.ts";
export {
  ANNOUNCEMENT_RETENTION,
  Announcement,
  type AnnouncementPosition,
  parseAnnouncement,
  type Subject,
} from "./webhook/announcement.ts";
export {
  type CreateWebhookCommand,
  type CreateWebhookError,
  createWebhook,
} from "./webhook/create-webhook.ts";
export { type DeleteWebhookError, deleteWebhook } from "./webhook/delete-webhook.ts";
export type { WebhookTarget } from "./webhook/find-webhook.ts";
export { type GetWebhookError, getWebhook } from "./webhook/get-webhook.ts";
export { type ListWebhooksError, type ListWebhooksQuery, listWebhooks } from "./webhook/list-webhooks.ts";
export type { NextTurn, Outbox, Turn, TurnState, WantedTurns } from "./webhook/outbox.ts";
export {
  type EventOutcome,
  type EventSending,
  type EventSendingPorts,
  eventSending,
  MAX_TURNS,
} from "./webhook/send-events.ts";
export { parseWebhook } from "./webhook/stored-webhook.ts";
export { type TestWebhookError, testWebhook } from "./webhook/test-webhook.ts";
export {
  type UpdateWebhookCommand,
  type UpdateWebhookError,
  updateWebhook,
} from "./webhook/update-webhook.ts";
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
export type { Delivery, WebhookSending } from "./webhook/webhook-sending.ts";
export { MAX_WEBHOOK_URL_LENGTH, type WebhookUrl } from "./webhook/webhook-url.ts";
export type { Webhooks } from "./webhook/webhooks.ts";
