import type { AliasKey } from "../alias/aliases.ts";
import type { KeptBody, LoggedMessage } from "../message-log/logged-message.ts";
import { messageId, spoolId } from "../values/base32-ids.ts";
import { emailAddress } from "../values/email-address.ts";

/** A place where the body of a message can be. */
export const testBody = (until: number): KeptBody => ({ spool: spoolId.parse("s".repeat(26)), until });

/**
 * The first revision of a message for the alias, for its log: sent on to one recipient, and not blocked. `fields` overrides individual
 * fields.
 */
export const testMessage = (alias: AliasKey, fields: Partial<LoggedMessage> = {}): LoggedMessage => {
  const { at = 1_700_000_000_000 } = fields;
  return {
    id: messageId.parse("m".repeat(26)),
    account: alias.account,
    alias: alias.id,
    at,
    direction: "received",
    contact: emailAddress.parse("bob@sender.example"),
    size: 12_345,
    subject: null,
    blocked: null,
    unsubscribesFrom: null,
    copies: [{ to: emailAddress.parse("me@home.example"), state: "sent", at, reason: null }],
    keptBody: null,
    count: 1,
    revision: 1,
    ...fields,
  };
};
