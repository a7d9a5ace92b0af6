import { type HeaderField, HeaderFields } from "./header-fields.ts";
import { MAX_LINE_LENGTH, writeField } from "./write-field.ts";

/**
 * The field as it arrived, but with CRLF line endings, without blank lines, which some readers would take for the end of the header, without
 * white space before the colon, which some verifiers of signatures cannot read, and within the line length limit.
 */
export const wellFormedField = (field: HeaderField): HeaderField => {
  const raw = field.raw.replace(/^([!-9;-~]+)[ \t]+:/, "$1:");
  const lines = raw.split(/\r\n|\r|\n/).filter((line) => /[^ \t]/.test(line));
  return lines.every((line) => line.length <= MAX_LINE_LENGTH)
    ? { ...field, raw: `${lines.join("\r\n")}\r\n` }
    : writeField(field.raw.slice(0, field.name.length), HeaderFields.value(field));
};
