import { contentType } from "../header/content-type.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { decodeBase64, decodeQuotedPrintable, trimSpaceEnd } from "../header/octets.ts";

/** A part that contains no other parts. An enclosed message is one part, and its content begins with its header. */
export type ReportPart = {
  /** The media type in lower case, without parameters, such as `message/delivery-status`. */
  readonly type: string;
  /** Decoded; each character is one octet. */
  readonly content: string;
};

/** Reports have one or two levels. Anything nested deeper than this is left out. */
const MAX_NESTING = 16;

const decoded = (fields: readonly HeaderField[], content: string): string => {
  const [encoding = ""] = HeaderFields.values(fields, "content-transfer-encoding");
  switch (encoding.toLowerCase()) {
    case "base64":
      return decodeBase64(content);
    case "quoted-printable":
      return decodeQuotedPrintable(content);
    default:
      return content;
  }
};

/** The parts between the delimiters, each with its header (RFC 2046, section 5.1.1). The last one need not be terminated. */
const divided = (content: string, boundary: string): readonly string[] => {
  const parts: string[][] = [];
  for (const line of content.split("\r\n")) {
    const text = trimSpaceEnd(line);
    if (text === `--${boundary}--`) break;
    if (text === `--${boundary}`) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join("\r\n"));
};

const leaves = (header: string, content: string, nesting: number): readonly ReportPart[] => {
  const fields = HeaderFields.split(header);
  const { type, boundary } = contentType(fields);
  if (boundary === null || !type.startsWith("multipart/"))
    return [{ type, content: decoded(fields, content) }];
  if (nesting === MAX_NESTING) return [];
  return divided(content, boundary).flatMap((part) => {
    const length = HeaderFields.lengthIn(part);
    const start = part.startsWith("\r\n", length) ? length + 2 : length;
    return leaves(part.slice(0, length), part.slice(start), nesting + 1);
  });
};

/**
 * The parts of a message that may be a report. Takes any text, and the time it takes grows only with the length of the text: libraries that
 * read whole messages take hours for some that are crafted for that, and this is read for everybody.
 *
 * @param header as in `ReceivedMessage`
 * @param content the beginning of the body, in which each character is one octet and lines end with CRLF
 */
export const reportParts = (header: string, content: string): readonly ReportPart[] =>
  leaves(header, content, 0);
