import { failureReason } from "@postern/core";

/*
 * What servers write instead of a status. 552 alone can mean either of these (RFC 5321, section 4.2.3; RFC 1870, section 6), and others
 * reply with 550, 554 or 452.
 */

/** A quota for what somebody sends says nothing about the mailbox. */
const OF_SENDERS = /(?:send(?:er|ing)?|rate|daily|hourly|relay(?:ing)?)(?: [^ ]+)? (?:quota|limit)/i;

const MAILBOX = "(?:mail ?box|mail ?folder|mail ?dir|inbox|account|user|recipient)";
const FULL = [
  "over[ -]?(?:disk ?)?quota",
  "(?:quota|storage|space)(?: [^ ]+){0,2} (?:is |has been |was )?(?:exceed|full\\b|reached|exhausted|used up|violation)",
  "(?:over|exceed[a-z]*|reached|beyond|out of)(?: [^ ]+){0,3} (?:quota|storage|disk space)",
  `${MAILBOX}(?:'s)?(?: [^ ]+){0,4} (?:full\\b|(?:over|exceed[a-z]*)(?: [^ ]+){0,3} (?:limit|size|space))`,
  `${MAILBOX}(?: [^ ]+)? (?:(?:size|limit)(?: [^ ]+)? exceed|reached(?: [^ ]+){0,3} (?:limit|size))`,
  `full ${MAILBOX}`,
  "(?:not|n't)(?: have)? (?:enough|sufficient) (?:storage|space|room)|no (?:more )?(?:storage|space|room) (?:left )?(?:in|for)",
  "(?:^|[^0-9.])552(?: [^ ]+){0,8} (?:quota|storage)\\b",
  "too many messages (?:in|on)",
  // German, French, Spanish, Italian.
  "postfach(?: [^ ]+){0,3} voll|bo[^ ]{1,2}te(?: [^ ]+){0,4} pleine|buz[^ ]{1,2}n(?: [^ ]+){0,3} llen|casella(?: [^ ]+){0,3} piena",
].join("|");

const LARGE = [
  "too (?:large|big)\\b|too much (?:mail )?data|(?:message|mail|line|body)s?(?: [^ ]+){0,2} too long",
  "(?:message|mail|content|data|file|attachment)s?(?: [^ ]+)? (?:size|length)\\b(?!=)",
  "size(?: [^ ]+){0,2} (?:limit|exceed)|(?:exceed[a-z]*|larger than|over)(?: [^ ]+){0,4} size\\b(?!=)",
].join("|");

/** In this order: the size of a mailbox is not that of a message. */
const MEANINGS: readonly (readonly [string, RegExp])[] = [
  ["5.2.2", new RegExp(FULL, "i")],
  ["5.3.4", new RegExp(LARGE, "i")],
];

/** In characters. It also bounds how long it takes to look for words. */
const MAX_WORDS = 4_000;

/** 552 is never about an address, whatever status some servers add to it. */
const MAILBOX_IS_KNOWN = /(?:^|[^0-9.])552(?![0-9.])/;

const saysWhy = (status: string | null, words: string): boolean => {
  const reason = failureReason(null, status);
  return reason !== "other" && !(reason === "mailbox_unknown" && MAILBOX_IS_KNOWN.test(words));
};

/**
 * Why a server did not accept a message, as an enhanced status code (RFC 3463): `status` if that says why, otherwise what its words mean:
 * `5.2.2`, the mailbox is full, or `5.3.4`, the message is too large. If they mean neither, `status`.
 */
export const statusInWords = (status: string | null, words: string): string | null => {
  const read = words.slice(0, MAX_WORDS).replace(/[\t-\r ]+/g, " ");
  if (saysWhy(status, read) || OF_SENDERS.test(read)) return status;
  return MEANINGS.find(([, pattern]) => pattern.test(read))?.[0] ?? status;
};
