import { type HeaderField, HeaderFields } from "./header-fields.ts";
import { MAX_LINE_LENGTH, writeField } from "./write-field.ts";

/**
 * The field as it arrived, with CRLF line ends, without blank lines, which would end the header for some readers, and within the
 * limit of a line.
 */
export const wellFormedField = (field: HeaderField): HeaderField => {
  const lines = field.raw.split(/\r\n|\r|\n/).filter((line) => /[^ \t]/.test(line));
  return lines.every((line) => line.length <= MAX_LINE_LENGTH)
    ? { ...field, raw: `${lines.join("\r\n")}\r\n` }
    : writeField(field.raw.slice(0, field.name.length), HeaderFields.value(field));
};
