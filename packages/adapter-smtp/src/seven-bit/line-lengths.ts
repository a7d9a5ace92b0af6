/** The maximum length of a line, without its CRLF (RFC 5321, section 4.5.3.1.6). Some relays break longer ones, such as Postfix. */
export const MAX_LINE = 998;

const MAX_LINE_WITH_END = MAX_LINE + "\r\n".length;

const LF = 10;

/** Returns a function that takes text in parts, and returns whether a line has been too long so far. It looks at few of the octets. */
export const longLines = (): ((part: Buffer) => boolean) => {
  /** How much of the last line there was in earlier parts. */
  let begun = 0;
  let isLong = false;
  return (part) => {
    let start = -begun;
    while (!isLong && part.length - start >= MAX_LINE_WITH_END) {
      const end = part.lastIndexOf(LF, start + MAX_LINE_WITH_END - 1);
      isLong = end < Math.max(start, 0);
      start = end + 1;
    }
    const end = part.lastIndexOf(LF);
    begun = end < 0 ? begun + part.length : part.length - end - 1;
    return isLong;
  };
};
