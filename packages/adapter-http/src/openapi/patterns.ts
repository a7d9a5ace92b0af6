import { MAX_ID_LENGTH } from "@postern/core";

/*
 * What the document says about the form of text: regular expressions (ECMA-262). The operations accept whatever matches them, and is no longer
 * than the schema allows, but also other texts, for which clients have no reason: an international domain name that is not written as
 * A-labels, or a chosen name of more than 32 letters and digits with others between them. None has a lookahead, which many languages lack.
 */

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const TOP = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const HOST = `(?:${LABEL}\\.)+${TOP}`;
const PORT = "(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4})";

export const DOMAIN = `^${HOST}$`;

/** What the owner of an alias can choose as its address: up to 64 characters before the @. */
export const CHOSEN_ADDRESS = `^(?:[A-Za-z0-9](?:[._-]?[A-Za-z0-9]){0,31}|[A-Za-z0-9]{33,64})@${HOST}$`;

/** A domain that stands for its subdomains too. */
export const SENDER_DOMAIN = `^(?:${LABEL}\\.){1,10}${TOP}$`;

export const HTTPS_URL = `^https://${HOST}(?::${PORT})?(?:[/?](?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$`;

/** Text without control characters, of the Basic Multilingual Plane: the ids of aliases and recipients are opaque. */
export const ID = `^[ -~\\u00a0-\\ud7ff\\ue000-\\uffff]{1,${MAX_ID_LENGTH}}$`;

/** Text without control characters. */
export const TEXT = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** The same, with more than spaces. */
export const NON_BLANK_TEXT =
  "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** Ids of contacts, blocked senders, webhooks and keys. */
export const RANDOM_ID = "^[a-z2-7]{26}$";

/** The id of a message in a log: a time, and a random id. */
export const POSITION = "^[0-9]{16}[a-z2-7]{26}$";

export const CURSOR = "^[A-Za-z0-9_-]+$";
