export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The path to the first field of `input` that is missing in its parsed form `parsed`, or null if there is none. */
export const droppedField = (input: unknown, parsed: unknown): readonly string[] | null => {
  if (!isObject(input) || !isObject(parsed)) return null;
  const known = new Map(Object.entries(parsed));
  for (const [name, value] of Object.entries(input)) {
    if (!known.has(name)) return [name];
    const within = droppedField(value, known.get(name));
    if (within !== null) return [name, ...within];
  }
  return null;
};
