/** A list that holds at least one item, and whose type says so. */
export type NonEmpty<T> = readonly [T, ...T[]];

export const isNonEmpty = <T>(list: readonly T[]): list is NonEmpty<T> => list.length > 0;
