import { type HeaderField, HeaderFields } from "./header-fields.ts";
import { MAX_LINE_LENGTH, writeField } from "./write-field.ts";

/**
 * The field as it arrived, but with CRLF line endings, without blank lines, which some readers would take for the end of the header, and
 * within the line length limit.
 */
export const wellFormedField = (field: HeaderField): HeaderField => {
  const lines = field.raw.split(/\r\n|\r|\n/).filter((line) => /[^ \t]/.test(line));
  return lines.every((line) => line.length <= MAX_LINE_LENGTH)
    ? { ...field, raw: `${lines.join("\r\n")}\r\n` }
    : writeField(field.raw.slice(0, field.name.length), HeaderFields.value(field));
};
