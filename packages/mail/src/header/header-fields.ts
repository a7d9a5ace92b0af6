import { trimSpace } from "./octets.ts";

/** One field of a header. */
export type HeaderField = {
  /** In lower case; empty if the line is not a field. */
  readonly name: string;
  /** The whole field as it is: name, colon, value with its folding, and the end of its line. */
  readonly raw: string;
};

/** A line with its end. A bare CR or LF ends a line too, because others might see a line end there. */
const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+/g;
/** White space before the colon is obsolete (RFC 5322, section 4.5), but readers accept it. */
const NAME = /^([!-9;-~]+)[ \t]*:/;
const FOLDING = /[\r\n]+(?=[ \t])/g;

const nameOf = (line: string): string => NAME.exec(line)?.[1]?.toLowerCase() ?? "";

const continues = (line: string): boolean => line.startsWith(" ") || line.startsWith("\t");

/** These functions take any text, and never throw. */
export const HeaderFields = {
  /** The fields of a header. Lines that are not fields are included, with an empty name. */
  split: (header: string): readonly HeaderField[] => {
    const fields: { name: string; lines: string[] }[] = [];
    for (const line of header.match(LINES) ?? []) {
      const last = fields.at(-1);
      if (last !== undefined && continues(line)) last.lines.push(line);
      else fields.push({ name: nameOf(line), lines: [line] });
    }
    return fields.map(({ name, lines }) => ({ name, raw: lines.join("") }));
  },

  /** The header that consists of these fields. */
  join: (fields: readonly HeaderField[]): string => fields.map(({ raw }) => raw).join(""),

  /** The values of all fields with this name (in lower case), in order, without folding or surrounding white space. */
  values: (fields: readonly HeaderField[], name: string): readonly string[] =>
    fields.filter((field) => field.name === name).map(HeaderFields.value),

  /** The value of a field, without folding or surrounding white space. */
  value: ({ raw }: HeaderField): string => trimSpace(raw.slice(raw.indexOf(":") + 1).replace(FOLDING, "")),

  /** The message without the line `From …` that programs put before it in mbox files, and some then send. */
  withoutMboxLine: (message: string): string => {
    const [line] = /^>?From [^\r\n]*(?:\r\n|\r|\n)/.exec(message) ?? [];
    const rest = line === undefined ? null : message.slice(line.length);
    return rest !== null && HeaderFields.lengthIn(rest) > 0 ? rest : message;
  },

  /**
   * How many characters at the beginning of a message are its header: up to the blank line, or to the first line that cannot be part of a
   * header, where the body then begins.
   */
  lengthIn: (beginning: string): number => {
    let length = 0;
    for (const line of beginning.match(LINES) ?? []) {
      if (nameOf(line) === "" && !(length > 0 && continues(line))) break;
      length += line.length;
    }
    return length;
  },
};
