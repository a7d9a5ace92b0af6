import { type Concealment, EmailAddress } from "@postern/core";

/*
 * Message ids (RFC 5322, section 3.6.4) reveal which provider a mailbox is with. So each side of an alias knows the other side's messages
 * by an id on the alias domain that conceals the original one. Replies refer to messages from both sides: each id is exchanged for the one
 * by which the other side knows the message, the same way in both directions, so that threading works on both sides and nothing has to be
 * stored.
 */

const ID = /<([^<>\t-\r ]+)>/g;
/** With comments or white space around it, as some mail servers write it. */
const ONE_ID = /^(?:[\t-\r ]|\([^()]*\))*<([^<>\t-\r ]+)>(?:[\t-\r ]|\([^()]*\))*$/;
const CONCEALING = /^m-([A-Za-z0-9_-]+)@([^@]+)$/;

/** In characters. Once concealed, longer ids would not fit on a line. */
const MAX_ID = 500;

/**
 * The lengths to which ids are padded before they are concealed, in characters: their own length would reveal the provider. The padding
 * consists of spaces, because no id contains any. Ids that were concealed without padding can still be revealed.
 */
const PADDED = [96, 192, 384, MAX_ID];

/** How many ids of a thread are passed on: the first one and the last ones. Nobody needs more, and each costs some work. */
const MAX_IDS = 50;

const contextOf = (alias: EmailAddress): string => `message id:${EmailAddress.key(alias)}`;

/** The id that the alias has concealed in this one; null if it has not. */
const revealedId = (id: string, alias: EmailAddress, { reveal }: Concealment): string | null => {
  const [, concealed, where] = CONCEALING.exec(id) ?? [];
  if (concealed === undefined || where !== EmailAddress.domain(alias)) return null;
  return reveal(concealed, contextOf(alias))?.replace(/ +$/, "") ?? null;
};

/**
 * The id by which the other side of the alias knows a message: the one that this id conceals, or one that conceals it. Exchanging an id
 * twice gives the same id again. Null for ids that are too long. Ids do not include their brackets.
 */
export const exchangedId = (id: string, alias: EmailAddress, concealment: Concealment): string | null => {
  const revealed = revealedId(id, alias, concealment);
  if (revealed !== null) return revealed;
  const length = PADDED.find((each) => id.length <= each);
  return length === undefined
    ? null
    : `m-${concealment.conceal(id.padEnd(length), contextOf(alias))}@${EmailAddress.domain(alias)}`;
};

/** The value of a `Message-ID` for the other side of the alias; null if it is not a single id, or too long. */
export const exchangedMessageId = (
  value: string,
  alias: EmailAddress,
  concealment: Concealment,
): string | null => {
  const id = ONE_ID.exec(value)?.[1];
  const exchanged = id === undefined ? null : exchangedId(id, alias, concealment);
  return exchanged === null ? null : `<${exchanged}>`;
};

/**
 * The value of a field such as `References` for the other side of the alias: only ids, each exchanged, at most the first one and the
 * last 49. Empty if there is none.
 */
export const exchangedIds = (value: string, alias: EmailAddress, concealment: Concealment): string => {
  const ids = Array.from(value.matchAll(ID), ([, id = ""]) => id);
  const passedOn = ids.length > MAX_IDS ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_IDS)] : ids;
  return passedOn
    .map((id) => exchangedId(id, alias, concealment))
    .filter((id) => id !== null)
    .map((id) => `<${id}>`)
    .join(" ");
};

/** The id under which a message first came to the alias, and whether the alias has concealed it since. Null if it has no single id. */
export const firstMessageId = (
  value: string,
  alias: EmailAddress,
  concealment: Concealment,
): { readonly id: string; readonly isReturned: boolean } | null => {
  const id = ONE_ID.exec(value)?.[1];
  if (id === undefined) return null;
  const revealed = revealedId(id, alias, concealment);
  return { id: revealed ?? id, isReturned: revealed !== null };
};

/** Whether an alias has concealed the id of the message, and it is too long to be concealed by another one. */
export const isConcealedToTheEnd = (value: string): boolean => {
  const id = ONE_ID.exec(value)?.[1] ?? "";
  return id.length > MAX_ID && CONCEALING.test(id);
};
