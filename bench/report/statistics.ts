/** The value in the middle; the mean of the two in the middle if there are two. NaN if there are none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The value below which `share` of the values are, between two values in proportion. NaN if there are none. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const [below = Number.NaN, above = below] = sorted.slice(Math.floor(position), Math.floor(position) + 2);
  return below + (above - below) * (position - Math.floor(position));
};

/** How each value of `of` compares to the one of `to` from the same round. */
export const ratios = (of: readonly number[], to: readonly number[]): readonly number[] =>
  of.slice(0, to.length).map((value, round) => value / (to[round] ?? Number.NaN));
