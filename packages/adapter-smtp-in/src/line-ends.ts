/** A line end other than CRLF: CR CR LF, which some programs write when they convert line ends twice, or a bare CR or LF. */
const OTHER_END = /\r{2,}\n|\r(?!\n)|(?<!\r)\n/;

const LINE_END = /\r+\n|\r|\n/g;

/** Of the CRs before an LF, so many belong to the same line end. Further ones are line ends. */
const MAX_HELD = 100;

/**
 * The octets, with CRLF in place of every other line end, in chunks as they come. Some other servers also end lines there, but not all:
 * what one server takes for the end of a message, the next one could take for text (SMTP smuggling), and signatures would not survive
 * conversion by another server. CR CR LF is one line end, as it is for Postfix.
 */
export async function* withCrlf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Whether a CR is bare depends on what follows.
  let held = "";
  for await (const chunk of chunks) {
    const text = held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    let end = text.length;
    while (end > 0 && text.length - end < MAX_HELD && text[end - 1] === "\r") end -= 1;
    held = text.slice(end);
    const complete = text.slice(0, end);
    if (complete === "") continue;
    yield Buffer.from(OTHER_END.test(complete) ? complete.replace(LINE_END, "\r\n") : complete, "latin1");
  }
  if (held !== "") yield Buffer.from(held.replaceAll("\r", "\r\n"));
}
