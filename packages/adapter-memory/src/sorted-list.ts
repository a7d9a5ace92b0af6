/** Texts in order, each once. Adding or deleting one takes hardly longer in a list of a million than in one of a hundred. */
export type SortedList<T extends string> = {
  readonly size: number;
  add(text: T): void;
  delete(text: T): void;
  /** The text and those after it, ascending. */
  from(text: T): Generator<T>;
  /** The texts before this one, or all of them, descending. */
  before(text: T | null): Generator<T>;
};

/** A longer part is split in two: inserting something into an array moves everything after it. */
const LONGEST_PART = 512;

/** The first position at which `isBefore` is false: it must be true for the beginning of the list, and false for the rest. */
const positionIn = <T>(list: readonly T[], isBefore: (item: T) => boolean): number => {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const item = list[middle];
    if (item !== undefined && isBefore(item)) from = middle + 1;
    else to = middle;
  }
  return from;
};

/**
 * @param comesBefore whether another text comes before this one
 * @param sorted what the list has at first, in order, each text once
 */
export const sortedList = <T extends string>(
  comesBefore: (text: T) => (other: T) => boolean,
  sorted: readonly T[] = [],
  longestPart = LONGEST_PART,
): SortedList<T> => {
  /** The list in parts, none of which is empty. */
  const parts: T[][] = [];
  for (let i = 0; i < sorted.length; i += longestPart) parts.push(sorted.slice(i, i + longestPart));

  /** The number of the part that has the text, or would have it, and the position in that part. */
  const locate = (text: T): readonly [part: number, position: number] => {
    const isBefore = comesBefore(text);
    const next = positionIn(parts, (part) => {
      const first = part[0];
      return first !== undefined && (first === text || isBefore(first));
    });
    const number = Math.max(0, next - 1);
    return [number, positionIn(parts[number] ?? [], isBefore)];
  };

  return {
    get size() {
      return parts.reduce((sum, { length }) => sum + length, 0);
    },
    add: (text) => {
      const [number, position] = locate(text);
      const part = parts[number];
      if (part === undefined) parts.push([text]);
      else if (part[position] !== text) {
        part.splice(position, 0, text);
        if (part.length > longestPart) parts.splice(number + 1, 0, part.splice(part.length >>> 1));
      }
    },
    delete: (text) => {
      const [number, position] = locate(text);
      const part = parts[number];
      if (part?.[position] !== text) return;
      part.splice(position, 1);
      if (part.length === 0) parts.splice(number, 1);
    },
    from: function* (text) {
      let [number, start] = locate(text);
      for (; number < parts.length; number += 1, start = 0) {
        const part = parts[number] ?? [];
        for (let i = start; i < part.length; i += 1) {
          const found = part[i];
          if (found !== undefined) yield found;
        }
      }
    },
    before: function* (text) {
      let [number, end] = text === null ? [parts.length - 1, Infinity] : locate(text);
      for (; number >= 0; number -= 1, end = Infinity) {
        const part = parts[number] ?? [];
        for (let i = Math.min(end, part.length) - 1; i >= 0; i -= 1) {
          const found = part[i];
          if (found !== undefined) yield found;
        }
      }
    },
  };
};
