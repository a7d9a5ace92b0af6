import { HeaderFields, isHeaderTooLarge, MAX_HEADER_OCTETS } from "@postern/mail";

/** A message whose header has arrived. */
export type SplitMessage = {
  /** As in `ReceivedMessage`: latin1, without the blank line; null if it is too large. */
  readonly header: string | null;
  /** What follows, as it arrives. Can be read once. */
  readonly body: AsyncIterable<Uint8Array>;
};

const BLANK_LINE = "\r\n\r\n";

/** If a header arrives in more parts, they are joined: each takes a few dozen octets more than its text. */
const MAX_PARTS = 1_000;

/**
 * Reads the header of a message whose lines end with CRLF, and no more than it needs for that. A line that cannot be part of a
 * header begins the body, as most readers see it.
 */
export const splitMessage = async (chunks: AsyncIterable<Uint8Array>): Promise<SplitMessage> => {
  const source = chunks[Symbol.asyncIterator]();
  // Searched once, and joined rarely: a client can send octet by octet.
  const parts: string[] = [];
  let [size, end] = [0, ""];
  // No longer than needed to know that the header is too long.
  while (size <= MAX_HEADER_OCTETS + BLANK_LINE.length) {
    const { value, done } = await source.next();
    if (done === true) break;
    const part = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
    // The message begins where an imaginary line before the first one ends.
    const recent = `${size === 0 ? "\r\n" : end}${part}`;
    parts.push(part);
    if (parts.length > MAX_PARTS) parts.splice(0, Infinity, parts.join(""));
    size += part.length;
    end = recent.slice(1 - BLANK_LINE.length);
    if (recent.includes(BLANK_LINE)) break;
  }
  const text = HeaderFields.withoutMboxLine(parts.join(""));
  const length = HeaderFields.lengthIn(text);
  // A last line without a line end, such as in a message that is only a header.
  const unended = length > 0 && length === text.length && !text.endsWith("\r\n");
  const bodyAt = text.startsWith("\r\n", length) ? length + 2 : length;
  const first = Buffer.from(text.slice(bodyAt), "latin1");

  async function* body(): AsyncGenerator<Uint8Array> {
    if (first.length > 0) yield first;
    for (;;) {
      const { value, done } = await source.next();
      if (done === true) return;
      yield value;
    }
  }
  const header = unended ? `${text}\r\n` : text.slice(0, length);
  return { header: isHeaderTooLarge(header) ? null : header, body: body() };
};
