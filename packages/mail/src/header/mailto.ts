import { type EmailAddress, parseEmailAddress } from "@postern/core";

/** The message that a `mailto:` URI asks for (RFC 6068), as far as it is a short text to one address. */
export type Mailto = {
  /** The first one, if there are several. */
  readonly to: EmailAddress;
  /** Null if the URI has none. */
  readonly subject: string | null;
  readonly body: string | null;
};

/** In octets. Whatever it says then fits on one line of a message. */
const MAX_LENGTH = 900;

/** Null if the text is not valid. */
const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** What is before and after the first separator. */
const parted = (text: string, separator: string): readonly [string, string] => {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
};

/** Null if the text is another URI, is longer than 900 octets or malformed, or names nobody. Its other fields, such as Cc, are ignored. */
export const parseMailto = (uri: string): Mailto | null => {
  if (uri.length > MAX_LENGTH || !/^mailto:[!-~]*$/i.test(uri)) return null;
  const [withoutFragment] = parted(uri.slice("mailto:".length), "#");
  const [path, query] = parted(withoutFragment, "?");
  const fields = query.split("&").map((field) => parted(field, "="));
  const values = (name: string) =>
    fields.flatMap(([each, value]) => (each.toLowerCase() === name ? value : []));
  const [to] = [path, ...values("to")]
    .flatMap((list) => list.split(","))
    .flatMap((address) => parseEmailAddress(decoded(address)).unwrapOr([]));
  const [subject = null] = values("subject").map(decoded);
  const [body = null] = values("body").map(decoded);
  const isMalformed = [...values("subject"), ...values("body")].some((value) => decoded(value) === null);
  return to === undefined || isMalformed ? null : { to, subject, body };
};
