/** A value that is there already, or a promise of it. What is there need not wait for another turn of the event loop. */
export type Soon<T> = T | Promise<T>;

/** The result of `next` for the value: at once if that is there. */
export const whenThere = <T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(next) : next(value);
