const SAMPLE_INTERVAL_MS = 1000;

/**
 * Samples lines that could flood the log: of those with the same key, only the first in a second should be logged, and at
 * the end of that second the number of the others. There must be few keys.
 */
export const sampler = () => {
  /** How many lines have been left out in the current second, by key. */
  const leftOut = new Map<string, number>();

  /**
   * Whether to log a line with this key.
   *
   * @param summarize called with the number of lines left out, unless there were none, when the second is over
   */
  return (key: string, summarize: (further: number) => void): boolean => {
    const count = leftOut.get(key);
    leftOut.set(key, count === undefined ? 0 : count + 1);
    if (count !== undefined) return false;
    setTimeout(() => {
      const further = leftOut.get(key) ?? 0;
      leftOut.delete(key);
      if (further > 0) summarize(further);
    }, SAMPLE_INTERVAL_MS).unref();
    return true;
  };
};
