const latin1 = (bytes: Buffer): string => bytes.toString("latin1");

const quotedPrintable = (text: string): string =>
  text
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

const percentEncoded = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/** Encoded words (RFC 2047). */
const words = (text: string): string =>
  text.replace(/=\?[^?]+\?([bq])\?([^?]*)\?=\s*/gi, (_, encoding: string, word: string) =>
    encoding.toLowerCase() === "b"
      ? latin1(Buffer.from(word, "base64"))
      : quotedPrintable(word.replaceAll("_", " ")),
  );

/** Everything that may be base64, decoded, wherever its groups of four begin. */
const base64 = (text: string): string =>
  [...text.matchAll(/[\w+/-]{8,}(?:\r?\n[\w+/-]+)*/g)]
    .flatMap(([found]) => {
      const characters = found.replace(/\r?\n/g, "");
      return [0, 1, 2, 3].map((at) => latin1(Buffer.from(characters.slice(at), "base64")));
    })
    .join("\n");

/** A text, and everything that it may decode to, decoded up to twice. */
export const decodings = (text: string, times = 2): readonly string[] =>
  times === 0
    ? [text]
    : [
        text,
        ...[quotedPrintable, percentEncoded, words, base64].flatMap((decode) => {
          const decoded = decode(text);
          return decoded === text ? [] : decodings(decoded, times - 1);
        }),
      ];
