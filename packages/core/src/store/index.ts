/* What authors of stores need besides the index: the ports, how stored data is parsed, and the rules that a store applies. */

export type { Suspensions } from "../account/suspensions.ts";
export { type AliasSettings, attachments } from "../alias/alias.ts";
export type { Aliases, AliasKey, AliasReference } from "../alias/aliases.ts";
export { AliasFilter } from "../alias/search/alias-filter.ts";
export { searchPage } from "../alias/search/search-page.ts";
export {
  MAX_SEARCH_WORDS,
  type SearchTerms,
  searchedWords,
  searchTerms,
} from "../alias/search/search-terms.ts";
export { parseAlias, parseAliasState, parseAliasWith, parseDestination } from "../alias/stored-alias.ts";
export { EVENT_RETENTION, Tallies, type Tally } from "../alias/tallies.ts";
export type { ApiKeyReference } from "../api-key/api-key.ts";
export type { ApiKeys } from "../api-key/api-keys.ts";
export { parseApiKey } from "../api-key/stored-api-key.ts";
export { CREATION_RETENTION, type Creation, parseCreation } from "../creation/creation.ts";
export type { Creations } from "../creation/creations.ts";
export {
  HANDED_REPORT_RETENTION,
  type HandedReport,
  parseHandedReport,
  type ReportedOutcome,
} from "../message-log/handed-report.ts";
export type { HandedReports } from "../message-log/handed-reports.ts";
export { LogLimits } from "../message-log/log-limits.ts";
export type { MessageLog } from "../message-log/message-log.ts";
export {
  type MessagePosition,
  parseMessagePosition,
  partsOfMessagePosition,
} from "../message-log/message-position.ts";
export { parseResend, RESEND_RETENTION, type Resend } from "../message-log/resend.ts";
export type { Resends } from "../message-log/resends.ts";
export { parseLoggedMessage } from "../message-log/stored-logged-message.ts";
export { LedgerEntry, parseLedgerEntry } from "../recipient/ledger-entry.ts";
export type { MailLedger } from "../recipient/mail-ledger.ts";
export type { RecipientSettings } from "../recipient/recipient.ts";
export type { Recipients } from "../recipient/recipients.ts";
export { parseRecipient } from "../recipient/stored-recipient.ts";
export { parseBlockedSender } from "../senders/blocked-sender.ts";
export type { BlockedSenders } from "../senders/blocked-senders.ts";
export type { ContactSettings, Correspondent } from "../senders/contact.ts";
export { type ContactPosition, parseContactPosition, partsOfPosition } from "../senders/contact-position.ts";
export type { Contacts, ContactsCursor, Meeting, Met } from "../senders/contacts.ts";
export { MAX_CORRESPONDENTS, MAX_NEWLY_NAMED, RecordedContacts } from "../senders/recorded-contacts.ts";
export { parseContact } from "../senders/stored-contact.ts";
export { comesBefore } from "../values/identifiers.ts";
export { type LedgerKey, parseLedgerKey } from "../values/ledger-key.ts";
export type { Page, PageRequest } from "../values/page.ts";
export {
  ANNOUNCEMENT_RETENTION,
  Announcement,
  type AnnouncementPosition,
  parseAnnouncement,
  type Subject,
} from "../webhook/announcement.ts";
export type { NextTurn, Outbox, Turn, TurnState, WantedTurns } from "../webhook/outbox.ts";
export { parseWebhook } from "../webhook/stored-webhook.ts";
export type { WebhookKey, WebhookSettings } from "../webhook/webhook.ts";
export type { Webhooks } from "../webhook/webhooks.ts";
export { compareRows, type RowAgain, type RowComparison } from "./compare-rows.ts";
export type { Batch, CreateAll } from "./create-all.ts";
export {
  type AccountCheck,
  type Correction,
  type DerivedKind,
  Difference,
  differencesByAccount,
  type FindDifferences,
  type Place,
  type Wrong,
} from "./differences.ts";
export { frozen } from "./frozen.ts";
export { pageBy } from "./page-by.ts";
export { pageOf } from "./page-of.ts";
export type { AccountsCursor } from "./store.ts";
export { walkPages } from "./walk-pages.ts";
