/** What a provider has sent, of which nothing is known yet. */
export type Json = { readonly [member: string]: unknown };

/** A JSON object; null if the text is something else. */
export const parseObject = (text: string): Json | null => {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
};

/** A cast, because this is where the value is parsed: any object has unknown members. */
export const objectOf = (value: unknown): Json | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;

/** A member that is a text; empty if there is none. */
export const textOf = (object: Json | null, member: string): string => {
  const value = object?.[member];
  return typeof value === "string" ? value : "";
};
