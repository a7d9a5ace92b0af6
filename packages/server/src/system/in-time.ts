/** What `inTime` resolves to when the time is up. */
export const LATE = Symbol("late");

/** What `work` resolves to, or `LATE` if that takes longer than `ms` milliseconds. The work itself continues. */
export const inTime = async <T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, ms, LATE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
