import type { EmailAddress } from "@postern/core";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { parseMailto } from "../header/mailto.ts";
import { writeField } from "../header/write-field.ts";
import { listUris } from "../message/unsubscription.ts";

/** The fields that mail programs make something to click of (RFC 2369). `List-Post` is never forwarded. */
const OF_LISTS = /^(?:x-)?list-(?:help|subscribe|unsubscribe|owner|archive)$/;

/** What there is if a value contains an address, even if it is encoded or lacks its `mailto:`. */
const ADDRESS = /mailto|@|=\?/i;

/** Null if nothing is left of it. */
const withoutMailto = (field: HeaderField, unsubscribe: EmailAddress): HeaderField | null => {
  const value = HeaderFields.value(field);
  if (!ADDRESS.test(value.replace(/[\t-\r ]+/g, ""))) return field;
  let isByMail = false;
  const uris = listUris(value).flatMap((uri) => {
    if (/^https?:[^<>]*$/i.test(uri)) return `<${uri}>`;
    if (field.name !== "list-unsubscribe" || isByMail || parseMailto(uri) === null) return [];
    isByMail = true;
    return `<mailto:${unsubscribe}>`;
  });
  return uris.length === 0 ? null : writeField(field.raw.slice(0, field.name.length), uris.join(", "));
};

/**
 * The fields without `mailto:` URIs of lists, to which mail programs would write from the mailbox itself. In `List-Unsubscribe`, our own
 * address is in the place of the first one; others are dropped.
 */
export const listsThroughAlias = (
  fields: readonly HeaderField[],
  unsubscribe: EmailAddress,
): readonly HeaderField[] =>
  fields.flatMap((field) =>
    OF_LISTS.test(field.name) ? (withoutMailto(field, unsubscribe) ?? []) : [field],
  );
