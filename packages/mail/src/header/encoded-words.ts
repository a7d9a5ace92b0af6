import {
  decodeBase64,
  decodeCharset,
  decodeQuotedPrintable,
  decodeUnlabelled,
  isBlank,
  quotedOctet,
  utf8,
} from "./octets.ts";

/*
 * Text in header fields (RFC 2047): `=?charset?encoding?text?=`, where the charset can be followed by a language
 * (RFC 2231, section 5).
 */

const ENCODED_WORD = /=\?([^?*\t-\r ]{1,64})(?:\*[^?\t-\r ]{0,64})?\?([bq])\?([^?\t-\r ]*)\?=/gi;

const octetsOf = (encoding: string, text: string): string =>
  encoding.toLowerCase() === "b" ? decodeBase64(text) : decodeQuotedPrintable(text.replaceAll("_", " "));

type Run = { readonly charset: string; readonly written: string; readonly octets: string };

const decoded = ({ charset, octets, written }: Run): string => decodeCharset(octets, charset) ?? written;

/**
 * The decoded text of a header value (latin1). Encoded words in an unknown charset stay as they are. The text can contain
 * any characters, whatever the value is.
 */
export const decodeHeaderText = (value: string): string => {
  let text = "";
  let run: Run | null = null;
  let end = 0;
  for (const match of value.matchAll(ENCODED_WORD)) {
    const [written, charset = "", encoding = "", encoded = ""] = match;
    const between = value.slice(end, match.index);
    const octets = octetsOf(encoding, encoded);
    // White space between encoded words is not part of the text, and some senders split a character between two words.
    if (run !== null && isBlank(between) && run.charset.toLowerCase() === charset.toLowerCase()) {
      run = { charset, octets: run.octets + octets, written: `${run.written} ${written}` };
    } else {
      if (run !== null) text += decoded(run);
      if (run === null || !isBlank(between)) text += decodeUnlabelled(between);
      run = { charset, octets, written };
    }
    end = match.index + written.length;
  }
  if (run !== null) text += decoded(run);
  return text + decodeUnlabelled(value.slice(end));
};

/** Characters that would be invisible, end the line, or change the order in which an address is shown. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text on one line, for display: without control characters or characters that change the direction of writing. */
export const displayText = (text: string): string =>
  text
    .toWellFormed()
    .replace(INVISIBLE, " ")
    .replace(DIRECTIONS, "")
    .replace(/\p{White_Space}+/gu, " ")
    .replace(/^ | $/g, "");

/** Fillers of Hangul, Braille and hieroglyphs, which take up space and show nothing. */
const BLANKS = /[\u115f\u1160\u2800\u3164\uffa0\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;
/** Characters of which most programs show nothing. Some scripts and emoji are less beautiful without. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffc]/gu;

/** `displayText` without anything that shows nothing: what people read. For text that must not be mistaken for another one. */
export const visibleText = (text: string): string =>
  displayText(text.replace(BLANKS, " ").replace(UNSEEN, ""));

/** Longer words would not fit on a line of 78 characters together with the name of the field. */
const MAX_WORD = 60;

/** In Q encoding. `character` is one code point. */
const quotedPrintable = (character: string): string =>
  /[A-Za-z0-9]/.test(character)
    ? character
    : character === " "
      ? "_"
      : utf8(character).replace(/./gs, quotedOctet);

const encodedWords = (text: string): string => {
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    const encoded = quotedPrintable(character);
    if (word.length + encoded.length > MAX_WORD) {
      words.push(word);
      word = "";
    }
    word += encoded;
  }
  return [...words, word].map((each) => `=?utf-8?Q?${each}?=`).join(" ");
};

/** Folding turns several spaces into one. */
const isPlain = (text: string): boolean => /^(?:[!-~]| (?! ))*$/.test(text) && !text.includes("=?");

/** Text on one line (`displayText`) as a phrase, such as the name before an address. Can be folded at each space. */
export const phrase = (text: string): string =>
  isPlain(text) && text.split(" ").every((word) => word.length <= MAX_WORD)
    ? `"${text.replace(/["\\]/g, "\\$&")}"`
    : encodedWords(text);

/** Text on one line (`displayText`) as the value of a field such as `Subject`. Can be folded at each space. */
export const unstructured = (text: string): string => (isPlain(text) ? text : encodedWords(text));
