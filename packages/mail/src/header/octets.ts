/*
 * Header text is latin1: each character is one octet. What it means depends on a charset.
 */

/** The WHATWG decoder, which every runtime has, with all charsets that occur in mail. */
declare const TextDecoder: new (
  label: string,
  options?: { fatal: boolean },
) => {
  decode(octets: Uint8Array): string;
};
/** Likewise. */
declare const atob: (base64: string) => string;

/*
 * Octets above 127 are never white space by themselves, although JavaScript's own patterns and `trim` take A0 for that, which is part of
 * many characters in UTF-8. In a pattern, white space is `[\t-\r ]`.
 */

/** Whether all of the text is ASCII white space. */
export const isBlank = (text: string): boolean => /^[\t-\r ]*$/.test(text);

const isSpace = (character: string | undefined): boolean =>
  character === " " || (character !== undefined && character >= "\t" && character <= "\r");

/** The text without the ASCII white space at its end, however long that is. */
export const trimSpaceEnd = (text: string): string => {
  let end = text.length;
  while (isSpace(text[end - 1])) end -= 1;
  return text.slice(0, end);
};

/** The text without the ASCII white space at both ends. */
export const trimSpace = (text: string): string => {
  let start = 0;
  while (isSpace(text[start])) start += 1;
  return trimSpaceEnd(text.slice(start));
};

/** The octets of a text in which each character is one octet. */
export const toOctets = (latin1: string): Uint8Array =>
  Uint8Array.from(latin1, (character) => character.charCodeAt(0));

/** The inverse of `toOctets`. */
export const fromOctets = (octets: Uint8Array): string => {
  let text = "";
  // A call takes only so many arguments.
  for (let at = 0; at < octets.length; at += 8_192) {
    text += String.fromCharCode(...octets.subarray(at, at + 8_192));
  }
  return text;
};

/** The text in a charset, with U+FFFD for invalid octets; null if there is no such charset. */
export const decodeCharset = (octets: string, charset: string): string | null => {
  try {
    return new TextDecoder(charset).decode(toOctets(octets));
  } catch {
    return null;
  }
};

/**
 * The text of octets without a charset: UTF-8 (RFC 6532) if they are valid as such, otherwise Windows-1252, which includes
 * latin1.
 */
export const decodeUnlabelled = (octets: string): string => {
  if (!/[\u0080-\u00ff]/.test(octets)) return octets;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(toOctets(octets));
  } catch {
    return new TextDecoder("windows-1252").decode(toOctets(octets));
  }
};

/** The UTF-8 octets of a text. Lone surrogates become U+FFFD. */
export const utf8 = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** The octets that base64 text stands for. Ignores all characters that are not base64. */
export const decodeBase64 = (text: string): string => {
  const digits = text.replace(/[^A-Za-z0-9+/]/g, "");
  // A single digit after a multiple of four is not a whole octet.
  return atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
};

/** The octets that quoted-printable stands for (RFC 2045, section 6.7). Invalid sequences stay as they are. */
export const decodeQuotedPrintable = (text: string): string =>
  text
    .replaceAll("=\r\n", "")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** An octet as quoted-printable (RFC 2045, section 6.7) and encoded words have it. */
export const quotedOctet = (octet: string): string =>
  `=${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** A line of quoted-printable, its last `=` included, has 76 characters at most. No octet is broken in two. */
const QUOTED_LINES = /.{1,75}(?<!=.?)/g;

const quotedLine = (line: string): string =>
  utf8(line)
    .replace(/[^\t -<>-~]|[\t ]$/g, quotedOctet)
    .match(QUOTED_LINES)
    ?.join("=\r\n") ?? "";

/** Text with the line ending `\n` in UTF-8 as quoted-printable (RFC 2045, section 6.7): ASCII, in lines of at most 76 characters. */
export const quotedPrintable = (text: string): string => text.split("\n").map(quotedLine).join("\r\n");

/** The octets in the form in which `Spool.receive` takes a body. */
export async function* inOneChunk(octets: Uint8Array): AsyncGenerator<Uint8Array> {
  yield octets;
}
