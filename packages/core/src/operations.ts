/*
 * For packages with operations of their own on the same store, such as `@postern/mail`. Whoever embeds the core needs none of this.
 */

export { rememberedSuspensions } from "./account/remembered-suspensions.ts";
export { messageCount } from "./alias/count-message.ts";
export { endAlias } from "./alias/end-alias.ts";
export { begin, type Timing } from "./operation/deadline.ts";
export { isWithin } from "./operation/is-within.ts";
export { mailboxKey } from "./recipient/message-charge.ts";
export {
  recordVerification,
  type VerificationLink,
  type VerificationOutcome,
} from "./recipient/record-verification.ts";
export { resolveContact } from "./senders/resolve-contact.ts";
export { type Blocked, blockedFor } from "./senders/who-may-write.ts";
export {
  contactId,
  copyId,
  hashed,
  hashedCopyId,
  hashedId,
  ID_PATTERN,
  isBase32Id,
  messageId,
} from "./values/base32-ids.ts";
export { configured } from "./values/configured.ts";
export { domain, emailAddress, isEmailAddress } from "./values/email-address.ts";
export { accountId, aliasId, isIdentifier, recipientId } from "./values/identifiers.ts";
export { parse } from "./values/parse.ts";
export { isCount, isFields, isOneOf, isTimestampOrNull, timestamp } from "./values/stored.ts";
export { announcedAliases, announcedMessages } from "./webhook/announce-changes.ts";
export { rememberedWebhooks } from "./webhook/remembered-webhooks.ts";
