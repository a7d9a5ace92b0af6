/** How much of a name may be mistyped. */
const MAX_PART = 0.4;

/** How many characters must be inserted, removed or replaced to turn `a` into `b` (Levenshtein). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const withoutPrefix = (name: string): string => name.replace(/^POSTERN_/, "");

/** The name that was probably meant; undefined if none is similar. */
export const nearestName = (mistyped: string, names: readonly string[]): string | undefined => {
  const own = withoutPrefix(mistyped);
  const [nearest] = names
    .map((name) => ({ name, part: withoutPrefix(name) }))
    .map(({ name, part }) => ({ name, wrong: distance(own, part) / Math.max(own.length, part.length, 1) }))
    .filter(({ wrong }) => wrong <= MAX_PART)
    .toSorted((a, b) => a.wrong - b.wrong);
  return nearest?.name;
};
