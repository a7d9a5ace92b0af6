import type { ArrivalRefusal } from "@postern/mail-in";

/** Why something is refused: as it would be in any case, or by the rules of this server. */
export type Refusal =
  | ArrivalRefusal
  | {
      readonly code:
        | "too_many_connections"
        | "too_many_refused_recipients"
        | "network_over_limit"
        | "mailbox_over_limit"
        | "sender_too_long"
        | "too_many_recipients"
        | "too_slow"
        | "shutting_down"
        | "smtputf8_not_supported";
    };

/** An SMTP reply: the code (RFC 5321), the enhanced status code (RFC 3463) and a text. */
export type Reply = { readonly code: number; readonly status: string; readonly text: string };

const reply = (code: number, status: string, text: string): Reply => ({ code, status, text });

/** The only place where refusals become SMTP replies. */
export const REPLIES = {
  too_many_connections: reply(421, "4.7.0", "Too many connections, try again later"),
  too_slow: reply(421, "4.4.2", "Session timed out, try again later"),
  shutting_down: reply(421, "4.3.2", "Shutting down, try again later"),
  unavailable: reply(451, "4.3.0", "Temporary failure, try again later"),
  spool_full: reply(452, "4.3.1", "No space left, try again later"),
  smtputf8_not_supported: reply(553, "5.6.7", "Addresses must be ASCII"),
  too_many_recipients: reply(452, "4.5.3", "Too many recipients, send the rest in another message"),
  too_many_refused_recipients: reply(421, "4.7.0", "Too many invalid recipients"),
  network_over_limit: reply(421, "4.7.0", "Too much mail from your network, try again later"),
  mailbox_over_limit: reply(450, "4.7.0", "Too much mail for this mailbox, try again later"),
  sender_too_long: reply(553, "5.1.7", "The address of the sender is too long"),
  not_an_alias_domain: reply(550, "5.7.1", "No mail is accepted for this domain"),
  // The same for aliases that never existed and for deleted ones.
  recipient_not_found: reply(550, "5.1.1", "There is no such mailbox"),
  message_forgotten: reply(
    550,
    "5.1.1",
    "The message from this list is too old to unsubscribe by mail: use its link, or a newer message",
  ),
  recipient_inactive: reply(550, "5.2.1", "This mailbox does not accept mail at the moment"),
  account_full: reply(452, "4.2.2", "The mailbox is full, try again later"),
  message_too_large: reply(552, "5.3.4", "The message is too large"),
  header_too_large: reply(554, "5.6.0", "The header is too large"),
  from_invalid: reply(554, "5.6.0", "There must be exactly one valid From field, with authors in one domain"),
  too_many_hops: reply(554, "5.4.6", "Too many hops"),
  mail_loop: reply(554, "5.4.6", "Mail loop: this server has already forwarded the message"),
  sender_not_authentic: reply(550, "5.7.26", "Rejected by the DMARC policy of the domain in From"),
  sender_blocked: reply(550, "5.7.1", "The recipient does not accept mail from you"),
  not_a_report: reply(
    550,
    "5.7.1",
    "Only reports of delivery are accepted here; write to the address in From",
  ),
  elsewhere: reply(451, "4.3.0", "Another mail server of this domain has to take this, try again later"),
  automatic_mail: reply(550, "5.7.1", "Automatic replies, receipts, reports and list mail are not passed on"),
  field_repeated: reply(554, "5.6.0", "Fields such as Subject, To and Content-Type must not be repeated"),
  not_from_a_recipient: reply(
    550,
    "5.7.1",
    "Only mailboxes that the alias forwards to can write to this address; send it from one of them",
  ),
  author_not_verified: reply(
    550,
    "5.7.26",
    "Not authenticated: the From domain needs an SPF pass or a DKIM signature over the whole message, and no DMARC failure",
  ),
  author_not_checked: reply(451, "4.7.24", "The sender could not be checked, try again later"),
} as const satisfies Record<Refusal["code"], Reply>;
