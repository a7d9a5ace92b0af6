import { contentType, type HeaderField, HeaderFields } from "@postern/mail";

/**
 * How the content of a message, or of a part of one, may be changed.
 *
 * - `encode`: its transfer encoding can be changed.
 * - `fold`: it must not be encoded (RFC 2045, section 6.4; RFC 3464, section 2.1), only broken into lines: text around parts, reports.
 * - `keep`: not at all. It is signed or encrypted (RFC 1847), is a piece of a message (RFC 2046, section 5.2.2), or was not read.
 */
type Treatment = "encode" | "fold" | "keep";

/** A message (number 0), or a part of one, in the order in which they begin. */
export type Part = {
  readonly number: number;
  readonly treatment: Treatment;
  readonly fields: readonly HeaderField[];
  readonly isText: boolean;
  /** The `Content-Transfer-Encoding`, in lower case; empty if there is none. */
  readonly encoding: string;
};

/** A piece of a body: all of them, one after the other, are the body. */
export type Piece =
  /** The header of a part, and whether a blank line follows. First, that of the message itself, which is not in the body. */
  | { readonly kind: "header"; readonly part: Part; readonly isBlank: boolean }
  /** Content of a part, without the line end that belongs to the delimiter after it. */
  | { readonly kind: "content"; readonly part: Part; readonly text: string }
  | { readonly kind: "delimiter"; readonly text: string };

/** Messages that people write have a dozen parts. What is beyond these limits is not read, and so kept. */
const [MAX_PARTS, MAX_NESTING] = [10_000, 30];
/** In octets, without what arrives at the same time. */
const MAX_HEADER = 64 * 1024;
/** Longer lines are no delimiters. In octets. */
const MAX_DELIMITER = 998;

const KEPT = [
  ...["multipart/signed", "multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"],
  ...["message/partial", "message/external-body"],
];
const MESSAGES = ["message/rfc822", "message/global"];
/** Encodings whose names nobody registered, such as `x-uuencode`. Readers ignore other names that they do not know. */
const PRIVATE = /^x-|uu/;

const CRLF = "\r\n";

/** Where the content of a part consists of parts or is a message, and not just content. */
type Inside =
  | { readonly kind: "parts"; readonly delimiter: string; readonly defaultType: string }
  | { readonly kind: "message" }
  | { readonly kind: "content" };

/** A part whose content is being read. */
type Open = { readonly part: Part; readonly inside: Inside };

const readPart = (header: string, number: number, nesting: number, defaultType: string): Open => {
  const fields = HeaderFields.split(header);
  const isTyped = fields.some(({ name }) => name === "content-type");
  const { type, boundary } = isTyped ? contentType(fields) : { type: defaultType, boundary: null };
  const [value = ""] = HeaderFields.values(fields, "content-transfer-encoding");
  const encoding = /^[^\t ;(]*/.exec(value.toLowerCase())?.[0] ?? "";
  const open = (treatment: Treatment, inside: Inside = { kind: "content" }): Open => ({
    part: { number, treatment, fields, isText: type.startsWith("text/"), encoding },
    inside,
  });
  const isRead = number < MAX_PARTS && nesting < MAX_NESTING;
  if (!isRead || KEPT.includes(type) || PRIVATE.test(encoding)) return open("keep");
  if (type.startsWith("multipart/")) {
    if (boundary === null) return open("fold");
    // Whatever encoding they claim to have, readers look for parts.
    const defaultType = type === "multipart/digest" ? "message/rfc822" : "text/plain";
    return open("fold", { kind: "parts", delimiter: `--${boundary}`, defaultType });
  }
  if (!type.startsWith("message/")) return open("encode");
  const isEncoded = ["quoted-printable", "base64"].includes(encoding);
  return open("fold", { kind: MESSAGES.includes(type) && !isEncoded ? "message" : "content" });
};

/** What a delimiter line does: parts within the one that it divides end, and another one begins unless it is the last delimiter. */
type Delimiter = {
  readonly of: Open;
  readonly within: number;
  readonly defaultType: string;
  readonly isLast: boolean;
};

const isDelimiter = (line: string, delimiter: string): boolean =>
  line.startsWith(delimiter) && /^(?:--)?[\t ]*$/.test(line.slice(delimiter.length));

/** A line as a delimiter of one of the open parts, the innermost first (RFC 2046, section 5.1.1); null if it is none. */
const readDelimiter = (line: string, open: readonly Open[]): Delimiter | null => {
  if (line.length > MAX_DELIMITER) return null;
  const within = open.findLastIndex(
    ({ inside }) => inside.kind === "parts" && isDelimiter(line, inside.delimiter),
  );
  const of = open[within];
  if (of?.inside.kind !== "parts") return null;
  const { delimiter, defaultType } = of.inside;
  return { of, within, defaultType, isLast: line.startsWith("--", delimiter.length) };
};

/** How much of the end of a text could be the beginning of the line end and the hyphens of a delimiter. */
const beginsDelimiter = (text: string): number => /\r(?:\n-?)?$/.exec(text.slice(-3))?.[0].length ?? 0;

/**
 * The pieces of a body in which each character is one octet, and lines end with CRLF. Takes any text, in time that grows only with its
 * length, and holds little of it.
 */
export async function* mimePieces(header: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let count = 0;
  /** From the message itself to the part that is being read. */
  let open: readonly Open[] = [];
  /** Set while a header is read. */
  let headerOf: { fields: string; readonly defaultType: string } | null = null;
  /** What has not been read yet. */
  let text = "";
  let atLineStart = true;
  let isEnd = false;

  const begin = (fields: string, defaultType: string, nesting: number): Part => {
    const opened = readPart(fields, count++, nesting, defaultType);
    // Nothing after the last part that is read divides anything.
    open = opened.part.number < MAX_PARTS ? [...open, opened] : [opened];
    atLineStart = true;
    headerOf = opened.inside.kind === "message" ? { fields: "", defaultType: "text/plain" } : null;
    return opened.part;
  };

  /** Reads a line of a header. Returns a piece if the header ends, and null if more has to arrive first. */
  const readHeader = (read: NonNullable<typeof headerOf>): Piece | "goes on" | null => {
    const end = text.indexOf(CRLF);
    const line = end < 0 ? text : text.slice(0, end + CRLF.length);
    const isTooLong = read.fields.length + line.length > MAX_HEADER;
    if (end < 0 && !isEnd && !isTooLong) return null;
    const isField = HeaderFields.lengthIn(line) > 0 || (read.fields !== "" && /^[\t ]/.test(line));
    if (isField && !isTooLong && readDelimiter(end < 0 ? line : line.slice(0, end), open) === null) {
      read.fields += line;
      text = text.slice(line.length);
      return "goes on";
    }
    const isBlank = line === CRLF;
    if (isBlank) text = text.slice(CRLF.length);
    const part = begin(read.fields, read.defaultType, isTooLong ? MAX_NESTING : open.length);
    return { kind: "header", part, isBlank };
  };

  /** The content up to the next delimiter, or as far as it has arrived, and that delimiter. */
  function* readContent(): Generator<Piece, "goes on" | null> {
    const content = (length: number): readonly Piece[] => {
      const part = open.at(-1)?.part;
      const piece = text.slice(0, length);
      text = text.slice(length);
      if (part === undefined || piece === "") return [];
      atLineStart = false;
      return [{ kind: "content", part, text: piece }];
    };
    let searched = 0;
    for (;;) {
      const isFirst = searched === 0 && atLineStart && text.startsWith("--");
      const at = isFirst ? 0 : text.indexOf(`${CRLF}--`, searched);
      if (at < 0) break;
      const lineAt = isFirst ? 0 : at + CRLF.length;
      const end = text.indexOf(CRLF, lineAt);
      if (end < 0 && !isEnd && text.length - lineAt <= MAX_DELIMITER) {
        yield* content(at);
        return null;
      }
      const found = readDelimiter(text.slice(lineAt, end < 0 ? text.length : end), open);
      searched = lineAt + 2;
      if (found === null) continue;
      yield* content(at);
      const length = end < 0 ? text.length : end - at + (found.isLast ? 0 : CRLF.length);
      yield { kind: "delimiter", text: text.slice(0, length) };
      text = text.slice(length);
      open = [
        ...open.slice(0, found.within),
        found.isLast ? { ...found.of, inside: { kind: "content" } } : found.of,
      ];
      if (!found.isLast) headerOf = { fields: "", defaultType: found.defaultType };
      return "goes on";
    }
    const isUndecided = !isEnd && atLineStart && "--".startsWith(text);
    yield* content(isUndecided ? 0 : text.length - (isEnd ? 0 : beginsDelimiter(text)));
    return null;
  }

  function* readOn(): Generator<Piece> {
    for (;;) {
      const step = headerOf === null ? yield* readContent() : readHeader(headerOf);
      if (step === null) return;
      if (step !== "goes on") yield step;
    }
  }

  yield { kind: "header", part: begin(header, "text/plain", 0), isBlank: false };
  for await (const chunk of chunks) {
    text += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    yield* readOn();
  }
  isEnd = true;
  yield* readOn();
}
