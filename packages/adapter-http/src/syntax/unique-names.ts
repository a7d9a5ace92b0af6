/** Strings, with the colon that makes one a member name, and the braces of objects. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g;

const findsNoRepetition = (json: string): boolean => {
  const open: Set<unknown>[] = [];
  for (const [part, colon] of json.matchAll(PARTS)) {
    if (part === "{") open.push(new Set());
    else if (part === "}") open.pop();
    else if (colon !== undefined) {
      const name: unknown = JSON.parse(part.slice(0, -colon.length));
      if (open.at(-1)?.has(name)) return false;
      open.at(-1)?.add(name);
    }
  }
  return true;
};

/**
 * Whether no object in the text has two members of the same name, however the names are escaped. `JSON.parse` uses the
 * last of two; a proxy in front of the service may have checked the first (RFC 8259, section 4).
 *
 * @param json valid JSON
 * @param value what `JSON.parse` makes of it
 */
export const hasUniqueNames = (json: string, value: unknown): boolean =>
  // This is what most programs write, and comparing is faster than looking for names.
  json === JSON.stringify(value) || findsNoRepetition(json);
