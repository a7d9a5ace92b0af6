/*
 * Each use case by itself, and what use cases are made of: for programs that need one of them, and for packages with operations of their
 * own on the same store, such as `@postern/mail`.
 */

export { rememberedSuspensions } from "./account/remembered-suspensions.ts";
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
export { messageCount } from "./alias/count-message.ts";
export { type CreateAliasCommand, type CreateAliasError, createAlias } from "./alias/create-alias.ts";
export {
  type CreateAliasForWebsiteCommand,
  type CreateAliasForWebsiteError,
  createAliasForWebsite,
} from "./alias/create-alias-for-website.ts";
export { type DeleteAliasCommand, type DeleteAliasError, deleteAlias } from "./alias/delete-alias.ts";
export { endAlias } from "./alias/end-alias.ts";
export { type EraseAliasCommand, type EraseAliasError, eraseAlias } from "./alias/erase-alias.ts";
export { type GetAliasError, type GetAliasQuery, getAlias } from "./alias/get-alias.ts";
export { type ListAliasesError, type ListAliasesQuery, listAliases } from "./alias/list-aliases.ts";
export {
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
export { requireAccepting } from "./alias/require-accepting.ts";
export { type ResolveAliasError, type ResolveAliasQuery, resolveAlias } from "./alias/resolve-alias.ts";
export { type RestoreAliasCommand, type RestoreAliasError, restoreAlias } from "./alias/restore-alias.ts";
export { type UpdateAliasCommand, type UpdateAliasError, updateAlias } from "./alias/update-alias.ts";
export {
  type UpdateAliasRulesCommand,
  type UpdateAliasRulesError,
  updateAliasRules,
} from "./alias/update-alias-rules.ts";
export {
  type UpdateAliasWebsiteCommand,
  type UpdateAliasWebsiteError,
  updateAliasWebsite,
} from "./alias/update-alias-website.ts";
export {
  type AuthenticateApiKeyError,
  type AuthenticateApiKeyQuery,
  authenticateApiKey,
} from "./api-key/authenticate-api-key.ts";
export { type CreateApiKeyCommand, type CreateApiKeyError, createApiKey } from "./api-key/create-api-key.ts";
export { type DeleteApiKeyCommand, type DeleteApiKeyError, deleteApiKey } from "./api-key/delete-api-key.ts";
export { type ListApiKeysError, type ListApiKeysQuery, listApiKeys } from "./api-key/list-api-keys.ts";
export { type HasCreatedWithQuery, hasCreatedWith } from "./creation/has-created-with.ts";
export { type EraseAccountCommand, type EraseAccountError, eraseAccount } from "./erase-account.ts";
export { type GetMessageError, getMessage } from "./message-log/get-message.ts";
export { type ListMessagesError, type ListMessagesQuery, listMessages } from "./message-log/list-messages.ts";
export { messagePositionSchema as messagePosition } from "./message-log/message-position.ts";
export { type ResendMessageError, resendMessage } from "./message-log/resend-message.ts";
export { begin, type Timing } from "./operation/deadline.ts";
export { isWithin } from "./operation/is-within.ts";
export { type AddRecipientCommand, type AddRecipientError, addRecipient } from "./recipient/add-recipient.ts";
export {
  type AdoptRecipientCommand,
  type AdoptRecipientError,
  adoptRecipient,
} from "./recipient/adopt-recipient.ts";
export {
  type DeleteRecipientCommand,
  type DeleteRecipientError,
  deleteRecipient,
} from "./recipient/delete-recipient.ts";
export { type GetRecipientError, type GetRecipientQuery, getRecipient } from "./recipient/get-recipient.ts";
export {
  type ListRecipientsError,
  type ListRecipientsQuery,
  listRecipients,
} from "./recipient/list-recipients.ts";
export { mailboxKey } from "./recipient/message-charge.ts";
export {
  recordVerification,
  type VerificationLink,
  type VerificationOutcome,
} from "./recipient/record-verification.ts";
export {
  type ReleaseMailboxCommand,
  type ReleaseMailboxError,
  releaseMailbox,
} from "./recipient/release-mailbox.ts";
export {
  type ResendVerificationCommand,
  type ResendVerificationError,
  resendVerification,
} from "./recipient/resend-verification.ts";
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
export {
  type VerifyRecipientCommand,
  type VerifyRecipientError,
  verifyRecipient,
} from "./recipient/verify-recipient.ts";
export { type BlockSenderCommand, type BlockSenderError, blockSender } from "./senders/block-sender.ts";
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
export { resolveContact } from "./senders/resolve-contact.ts";
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
export { type Blocked, blockedFor } from "./senders/who-may-write.ts";
export {
  contactId,
  copyId,
  hashed,
  hashedCopyId,
  hashedId,
  hashedMessageId,
  hashedTag,
  ID_PATTERN,
  MARK_PATTERN,
  markOfSpool,
  messageId,
  spoolId,
  TAG_PATTERN,
} from "./values/base32-ids.ts";
export { configured } from "./values/configured.ts";
export { domain, emailAddress } from "./values/email-address.ts";
export { accountId, aliasId, eventId, recipientId } from "./values/identifiers.ts";
export { parse } from "./values/parse.ts";
export { count, timestamp } from "./values/stored.ts";
export { announcedAliases, announcedMessages } from "./webhook/announce-changes.ts";
export {
  type CreateWebhookCommand,
  type CreateWebhookError,
  createWebhook,
} from "./webhook/create-webhook.ts";
export { type DeleteWebhookError, deleteWebhook } from "./webhook/delete-webhook.ts";
export { type GetWebhookError, getWebhook } from "./webhook/get-webhook.ts";
export { type ListWebhooksError, type ListWebhooksQuery, listWebhooks } from "./webhook/list-webhooks.ts";
export { rememberedWebhooks } from "./webhook/remembered-webhooks.ts";
export { type TestWebhookError, testWebhook } from "./webhook/test-webhook.ts";
export {
  type UpdateWebhookCommand,
  type UpdateWebhookError,
  updateWebhook,
} from "./webhook/update-webhook.ts";
