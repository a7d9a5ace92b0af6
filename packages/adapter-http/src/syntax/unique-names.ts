/** Strings, with the colon that makes them names, and the borders of objects. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g;

/**
 * Whether no object in the text names a member twice, however the names are escaped. Of two, `JSON.parse` takes the
 * last; what stands before the service may have looked at the first (RFC 8259, section 4). `json` must be JSON.
 */
export const hasUniqueNames = (json: string): boolean => {
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
