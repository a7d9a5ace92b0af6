/** Whatever a provider has sent: nothing is known of it. */
export type Json = unknown;

/** Null if the text is empty, undefined if it is no JSON. */
export const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text || "null");
  } catch {
    return undefined;
  }
};

/** A member of a member, and so on; undefined if there is none. */
export const valueAt = (json: Json, ...path: readonly string[]): Json =>
  // A cast, because this is where values are parsed: whatever is neither null nor undefined has unknown members.
  path.reduce((value, name) => (value as { [member: string]: Json } | null | undefined)?.[name], json);

/** The same of a text; empty if there is none. */
export const textAt = (json: Json, ...path: readonly string[]): string => {
  const value = valueAt(json, ...path);
  return typeof value === "string" ? value : "";
};
