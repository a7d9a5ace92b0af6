import { MAX_LINE } from "./line-lengths.ts";

/*
 * Encoders take content in parts and return what is sent of it so far. Texts have a character for each octet. No line that they begin by
 * themselves begins with a hyphen: it could be taken for the end of a part.
 */
export type Encoder = {
  add(part: string): string;
  /** The rest. */
  end(): string;
};

const CRLF = "\r\n";
const [TAB, LF, CR, SPACE, HYPHEN, EQUALS, DEL] = [9, 10, 13, 32, 45, 61, 127];
const HEX = Buffer.from("0123456789ABCDEF");

/** RFC 2045, sections 6.7 and 6.8. */
const MAX_ENCODED_LINE = 76;

/** Writes octets into a buffer that is large enough for a part: each octet becomes six at most, with a soft line break. */
const writer = (part: string) => {
  const octets = Buffer.allocUnsafe(6 * (part.length + 2));
  let size = 0;
  return {
    put: (octet: number): void => {
      octets[size++] = octet;
    },
    text: () => octets.toString("latin1", 0, size),
  };
};

/**
 * Quoted-printable (RFC 2045, section 6.7). Content that already is (`encoded`) stays as it is, except that octets that must not occur in it
 * are encoded and long lines are broken.
 */
export const quotedPrintable = ({ encoded }: { readonly encoded: boolean }): Encoder => {
  let column = 0;
  /** White space or CR whose encoding depends on what follows. */
  let held: number | null = null;

  const add = (part: string, isLast: boolean): string => {
    const { put, text } = writer(part);
    const breakBefore = (length: number): void => {
      if (column + length < MAX_ENCODED_LINE) return;
      put(EQUALS);
      put(CR);
      put(LF);
      column = 0;
    };
    const quote = (octet: number): void => {
      breakBefore(3);
      put(EQUALS);
      put(HEX[octet >> 4] ?? 0);
      put(HEX[octet & 15] ?? 0);
      column += 3;
    };
    const plain = (octet: number): void => {
      // An encoded octet is not broken.
      breakBefore(octet === EQUALS ? 3 : 1);
      if (column === 0 && octet === HYPHEN) quote(octet);
      else {
        put(octet);
        column += 1;
      }
    };
    const release = (next: number | null): void => {
      if (held === null) return;
      const endsLine = next === CR || next === null;
      if (held === CR || (endsLine && !encoded)) quote(held);
      else plain(held);
      held = null;
    };
    for (let at = 0; at < part.length; at += 1) {
      const octet = part.charCodeAt(at);
      if (held === CR && octet === LF) {
        put(CR);
        put(LF);
        column = 0;
        held = null;
        continue;
      }
      release(octet);
      if (octet === CR || octet === SPACE || octet === TAB) held = octet;
      else if (octet < SPACE || octet >= DEL || (octet === EQUALS && !encoded)) quote(octet);
      else plain(octet);
    }
    if (isLast) release(null);
    return text();
  };
  return { add: (part) => add(part, false), end: () => add("", true) };
};

/** Text in lines of 76 characters, with CRLF between them. */
const wrapped = (): Encoder => {
  let rest = "";
  return {
    add: (part) => {
      const text = rest + part;
      // What ends a line also belongs to the next one, so that none is empty.
      const complete = Math.max(0, Math.ceil(text.length / MAX_ENCODED_LINE) - 1) * MAX_ENCODED_LINE;
      rest = text.slice(complete);
      return text.slice(0, complete).replace(/.{76}/g, `$&${CRLF}`);
    },
    end: () => rest,
  };
};

/** Base64 (RFC 2045, section 6.8). */
export const base64 = (): Encoder => {
  const lines = wrapped();
  let rest = "";
  return {
    add: (part) => {
      const octets = rest + part;
      const complete = octets.length - (octets.length % 3);
      rest = octets.slice(complete);
      return lines.add(Buffer.from(octets.slice(0, complete), "latin1").toString("base64"));
    },
    end: () => lines.add(Buffer.from(rest, "latin1").toString("base64")) + lines.end(),
  };
};

/** Content that already is in base64, without anything else in it, in lines of 76 characters. */
export const wrappedBase64 = (): Encoder => {
  const lines = wrapped();
  return { add: (part) => lines.add(part.replace(/[^A-Za-z0-9+/=]/g, "")), end: lines.end };
};

/** Text that must not be encoded, with long lines broken, as Postfix does it. */
export const folded = (): Encoder => {
  let column = 0;
  return {
    add: (part) => {
      const { put, text } = writer(part);
      for (let at = 0; at < part.length; at += 1) {
        const octet = part.charCodeAt(at);
        const endsLine = octet === CR || octet === LF;
        if (column === MAX_LINE && !endsLine) {
          put(CR);
          put(LF);
          put(SPACE);
          column = 1;
        }
        put(octet);
        column = endsLine ? 0 : column + 1;
      }
      return text();
    },
    end: () => "",
  };
};
