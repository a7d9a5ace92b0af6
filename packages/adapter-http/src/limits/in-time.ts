/** The result, or `late` after this many milliseconds. What has been begun goes on: only what it calls can end it. */
export const inTime = <T>(result: Promise<T>, ms: number, late: T): Promise<T> => {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, ms, late);
  return Promise.race([result, promise]).finally(() => clearTimeout(timer));
};
