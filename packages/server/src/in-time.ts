/** What `inTime` resolves to when the time is over. */
export const LATE = Symbol("late");

/** What `work` resolves to, or `LATE` if that takes longer than `ms` milliseconds. The work itself goes on. */
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
