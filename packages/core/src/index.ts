export { err, ok, type Result } from "neverthrow";
export { type AccountLimits, DEFAULT_LIMITS, NO_LIMITS, parseAccountLimits } from "./account/limits.ts";
export { ADDRESS_FORMATS, type AddressFormat } from "./alias/address/local-part.ts";
export { parseReservedNames, reservedNames } from "./alias/address/reserved-names.ts";
export { Alias, type AliasState } from "./alias/alias.ts";
export type { AliasTarget } from "./alias/change-alias.ts";
export { MAX_DESCRIPTION_LENGTH } from "./alias/description.ts";
export {
  type Destination,
  Destinations,
  MAX_RECIPIENTS,
  parseRecipientIds,
  type RecipientIds,
} from "./alias/destinations.ts";
export type { Reassignment } from "./alias/reassign-recipient.ts";
export type { ResolvedAlias } from "./alias/resolve-alias.ts";
export {
  ACCEPT_FROM,
  type AcceptFrom,
  AliasRules,
  MAX_ACTIVE_UNTIL,
  MAX_LISTED_SENDERS,
  MAX_MESSAGES_LEFT,
} from "./alias/rules.ts";
export { MAX_SEARCH_LENGTH } from "./alias/search/alias-filter.ts";
export { MAIL_OUTCOMES, type MailEvent, type MailOutcome } from "./alias/tallies.ts";
export { MAX_WEBSITE_LENGTH } from "./alias/website.ts";
export { ApiKey, CLIENT_KINDS, type ClientKind, type LastUse, MAX_API_KEYS } from "./api-key/api-key.ts";
export type { ApiKeySecret } from "./api-key/api-key-secret.ts";
export { type ApiKeyCreated, MAX_API_KEY_NAME_LENGTH } from "./api-key/create-api-key.ts";
export { SCOPES, type Scope } from "./api-key/scope.ts";
export type { AccountErasure } from "./erase-account.ts";
export type {
  AccountSuspended,
  AddressNotAllowed,
  AddressTaken,
  AliasDeleted,
  AliasInactive,
  AliasNotFound,
  AliasSuspended,
  AlreadyCreated,
  ApiKeyInvalid,
  ApiKeysDisabled,
  Conflict,
  ContactNotFound,
  DomainError,
  IdempotencyKeyReused,
  Ineligibility,
  IneligibleRecipient,
  LinkInvalid,
  MailboxSuppressed,
  MailRefused,
  MessageNotFound,
  MessageNotKept,
  NoDefaultRecipient,
  NotSent,
  PreconditionFailed,
  ProviderRefusal,
  RateLimited,
  RecipientAttached,
  RecipientNotFound,
  RecipientsIneligible,
  TooManyAliases,
  TooManyApiKeys,
  TooManyBlockedSenders,
  TooManyContacts,
  TooManyRecipients,
  TooManyUnverifiedRecipients,
  TooManyWebhooks,
  Unavailable,
  WebhookNotFound,
  WebhooksDisabled,
} from "./errors.ts";
export type { ServiceOffer } from "./get-service.ts";
export type { AttributedMessage } from "./message-log/attributed-message.ts";
export { FAILURE_REASONS, type FailureReason, failureReason } from "./message-log/failure-reason.ts";
export type { MessageTarget } from "./message-log/find-message.ts";
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
export type { TimeLeft } from "./operation/deadline.ts";
export type { Operation, Parsed } from "./operation/operation.ts";
export type { OnRetry } from "./operation/retry-on-conflict.ts";
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
export type { RecipientAdded } from "./recipient/add-recipient.ts";
export type { RecipientTarget } from "./recipient/change-recipient.ts";
export { Recipient, VERIFICATION_DELIVERIES, type VerificationDelivery } from "./recipient/recipient.ts";
export type { VerificationResent } from "./recipient/resend-verification.ts";
export { LINK_LIFETIME, type VerificationSent } from "./recipient/send-verification.ts";
export type { VerificationMail } from "./recipient/verification-mail.ts";
export { MAX_TOKEN_LENGTH } from "./recipient/verification-token.ts";
export type { AddressedContact, ContactTarget } from "./senders/addressed-contact.ts";
export { BlockedSender } from "./senders/blocked-sender.ts";
export { BLOCKINGS, type Blocking, Contact } from "./senders/contact.ts";
export {
  contactAddress,
  contactOfReverseAddress,
  isReverseAddress,
  newContactId,
  reverseAddress,
} from "./senders/reverse-address.ts";
export type { AnyStore, BaseStore, Store, StoreParts } from "./store/store.ts";
export { PosternError, type ThrowingPostern, throwing } from "./throwing.ts";
export { type AliasDomains, parseAliasDomains } from "./values/alias-domains.ts";
export {
  newCopyId,
  newMessageId,
  newSpoolId,
  parseApiKeyId,
  parseBlockedSenderId,
  parseContactId,
  parseCopyId,
  parseMessageId,
  parseSpoolId,
  parseSpoolMark,
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
export {
  type AccountId,
  type AliasId,
  type ApiKeyId,
  type BlockedSenderId,
  type ContactId,
  type CopyId,
  compareIds,
  type EventId,
  MAX_ID_LENGTH,
  type MessageId,
  parseAccountId,
  parseAliasId,
  parseEventId,
  parseRecipientId,
  type RecipientId,
  type SpoolId,
  type SpoolMark,
  type WebhookId,
} from "./values/identifiers.ts";
export { isNonEmpty, type NonEmpty } from "./values/non-empty.ts";
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "./values/page.ts";
export type { InputIssue, InvalidRequest } from "./values/parse.ts";
export { parseSender, Sender } from "./values/sender.ts";
export type { WebhookTarget } from "./webhook/find-webhook.ts";
export {
  type EventOutcome,
  type EventSending,
  type EventSendingPorts,
  eventSending,
} from "./webhook/send-events.ts";
export { MAX_TURNS } from "./webhook/turn-places.ts";
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
} from "./webhook/webhook.ts";
export type { SubjectEvent, TestEvent, WebhookEvent } from "./webhook/webhook-event.ts";
export type { WebhookSecret } from "./webhook/webhook-secret.ts";
export type { Delivery, WebhookSending } from "./webhook/webhook-sending.ts";
export { MAX_WEBHOOK_URL_LENGTH, type WebhookUrl } from "./webhook/webhook-url.ts";
