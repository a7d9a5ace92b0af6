import { MAX_ID_LENGTH } from "@postern/core";

/*
 * What the document says about the form of text: regular expressions (ECMA-262) that every text matches that a client has reason to send,
 * and only text that the operations accept, but for lengths. Without lookaheads, which many languages lack. An international domain name has
 * to be sent as A-labels, although it is accepted in other forms too.
 */

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const TOP = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const HOST = `(?:${LABEL}\\.)+${TOP}`;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL_PART = `${ATOM}(?:\\.${ATOM})*`;
const PORT = "(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4})";

export const DOMAIN = `^${HOST}$`;

export const ADDRESS = `^${LOCAL_PART}@${HOST}$`;

/** What the owner of an alias can choose as its address. */
export const CHOSEN_ADDRESS = `^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*@${HOST}$`;

/** An address, or a domain of at most 11 labels. */
export const SENDER = `^(?:${LOCAL_PART}@${HOST}|(?:${LABEL}\\.){1,10}${TOP})$`;

export const HTTPS_URL = `^https://${HOST}(?::${PORT})?(?:[/?][A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?$`;

/** Text without control characters, of the Basic Multilingual Plane: the ids of aliases and recipients are opaque. */
export const ID = `^[ -~\\u00a0-\\ud7ff\\ue000-\\uffff]{1,${MAX_ID_LENGTH}}$`;

/** Text without control characters. */
export const TEXT = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** Ids of contacts, blocked senders and webhooks. */
export const RANDOM_ID = "^[a-z2-7]{26}$";

/** The id of a message in a log: a time, and a random id. */
export const POSITION = "^[0-9]{16}[a-z2-7]{26}$";

export const CURSOR = "^[A-Za-z0-9_-]+$";
