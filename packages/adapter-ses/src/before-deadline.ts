/** Rejects when the signal aborts, even where the SDK itself ignores the signal, as when it looks up credentials. */
export const beforeDeadline = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
