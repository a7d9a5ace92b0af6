import { relaxedField } from "./relaxed.ts";
import type { Rsa } from "./rsa-key.ts";

/** At most 78 characters a line (RFC 5322, section 2.1.1) for names of usual length. */
const LINE = 72;

const folded = (tag: string, items: readonly string[], separator: string): string => {
  const lines = [`${tag}=`];
  for (const [i, item] of items.entries()) {
    const text = i < items.length - 1 ? item + separator : item;
    const line = lines.at(-1) ?? "";
    if (line.length + text.length > LINE) lines.push(text);
    else lines[lines.length - 1] = line + text;
  }
  return lines.join("\r\n\t");
};

/** `h=`: the names of fields that are signed, in this order. */
export const signedNames = (names: readonly string[]): string => folded("h", names, ":");

/**
 * A field with these tags and, as the last one, the signature of `fields` and of itself (RFC 6376, section 3.7): `b=` is empty
 * while it is signed.
 */
export const signedField = async (
  rsa: Rsa,
  name: string,
  tags: readonly string[],
  fields: readonly string[],
): Promise<string> => {
  const unsigned = `${name}: ${tags.join(";\r\n\t")};\r\n\tb=`;
  const data = [...fields, unsigned].map(relaxedField).join("\r\n");
  const signature = (await rsa(data)).match(/.{1,72}/g) ?? [];
  return `${unsigned}${signature.join("\r\n\t")}`;
};
