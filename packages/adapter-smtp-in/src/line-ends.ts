/** A CR or LF that is not part of a CRLF. */
const BARE = /\r(?!\n)|(?<!\r)\n/;

/**
 * The octets, with CRLF in place of each bare CR and each bare LF, in chunks as they come. Some other servers also end lines there,
 * but not all: what one server takes for the end of a message, the next one could take for text (SMTP smuggling), and signatures
 * would not survive conversion by another server.
 */
export async function* withCrlf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Whether a CR is bare depends on what follows.
  let held = "";
  for await (const chunk of chunks) {
    const text = held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    held = text.endsWith("\r") ? "\r" : "";
    const complete = held === "" ? text : text.slice(0, -1);
    if (complete === "") continue;
    yield Buffer.from(BARE.test(complete) ? complete.replace(/\r\n|\r|\n/g, "\r\n") : complete, "latin1");
  }
  if (held !== "") yield Buffer.from("\r\n");
}
