import { createHash } from "node:crypto";

/** Canonicalization `relaxed` (RFC 6376, sections 3.4.2 and 3.4.4). */

const CRLF = "\r\n";
/** How many CRLFs are hashed at once. A body can end with millions of them. */
const MANY = 8192;

/** The field without its final CRLF: name in lower case, one space for each run of white space. */
export const relaxedField = (field: string): string => {
  const colon = field.indexOf(":");
  const name = field.slice(0, colon).trimEnd().toLowerCase();
  const value = field
    .slice(colon + 1)
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ");
  return `${name}:${value.replace(/^ | $/g, "")}`;
};

/**
 * The SHA-256 hash (base64) of a body: white space at the end of a line and empty lines at the end of the body are ignored, all
 * other runs of white space are one space. Works through the body in chunks, whatever it consists of.
 */
export const relaxedBodyHash = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const hash = createHash("sha256");
  /** The end of what was read, if its canonical form depends on what follows: ` `, `\r` or both. */
  let held = "";
  /** Line ends that are not hashed yet, because they are ignored at the end of the body. */
  let breaks = 0;
  let empty = true;

  const add = (text: string) => {
    let end = text.length;
    while (text.endsWith(CRLF, end)) end -= CRLF.length;
    if (end > 0) {
      for (; breaks > MANY; breaks -= MANY) hash.update(CRLF.repeat(MANY));
      hash.update(CRLF.repeat(breaks) + text.slice(0, end), "latin1");
      breaks = 0;
      empty = false;
    }
    breaks += (text.length - end) / CRLF.length;
  };

  for await (const chunk of chunks) {
    const text = (held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1"))
      .replace(/[ \t]+/g, " ")
      .replace(/ \r\n/g, CRLF);
    const cr = text.endsWith("\r") ? 1 : 0;
    const kept = text.length - cr - (text.endsWith(" ", text.length - cr) ? 1 : 0);
    held = text.slice(kept);
    add(text.slice(0, kept));
  }
  // White space at the end of a last line without CRLF.
  add(held.replace(/^ $/, ""));
  if (!empty) hash.update(CRLF);
  return hash.digest("base64");
};
