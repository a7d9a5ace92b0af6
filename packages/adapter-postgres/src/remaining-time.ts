/** What is left of the time of a call, in milliseconds, whenever it is asked for; undefined if the call has no limit of its own. */
export const remainingTime = (timeLeft: number | undefined): (() => number | undefined) => {
  if (timeLeft === undefined) return () => undefined;
  const end = performance.now() + timeLeft;
  return () => end - performance.now();
};
