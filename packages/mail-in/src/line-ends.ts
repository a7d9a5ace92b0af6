const CRLF = "\r\n";

/** A CR or LF that is not part of a CRLF. */
const BARE = /\r(?!\n)|(?<!\r)\n/;

/** A run of CRs is matched as a whole: trying each of them would take time in proportion to the square of its length. */
const LINE_ENDS = /\r+\n?|\n/g;

/** So many CRs before an LF belong to its line end. Those before them are line ends. */
const MAX_CRS = 100;

/** The line ends of a match of `LINE_ENDS`, as CRLF. */
const inCrlf = (ends: string): string =>
  CRLF.repeat(ends.endsWith("\n") ? 1 + Math.max(0, ends.length - 1 - MAX_CRS) : ends.length);

/**
 * The octets, with CRLF in place of every other line end, in chunks as they come. Some other servers also end lines there, but not all:
 * what one server takes for the end of a message, the next one could take for text (SMTP smuggling), and signatures would not survive
 * conversion by another server. CR CR LF, which programs write that convert line ends twice, is one line end, as it is for Postfix.
 */
export async function* withCrlf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Whether a CR is bare depends on what follows.
  let held = "";
  for await (const chunk of chunks) {
    const text = held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    let end = text.length;
    while (end > 0 && text.length - end < MAX_CRS && text[end - 1] === "\r") end -= 1;
    held = text.slice(end);
    const complete = text.slice(0, end);
    if (complete === "") continue;
    yield Buffer.from(BARE.test(complete) ? complete.replace(LINE_ENDS, inCrlf) : complete, "latin1");
  }
  if (held !== "") yield Buffer.from(inCrlf(held));
}
