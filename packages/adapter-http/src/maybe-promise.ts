/** A value that is already available, or a promise of it. An available value need not wait for another turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** This includes promises of other libraries, which an application's own code may return. */
export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** The result of `next` for the value; at once if the value is available. */
export const chain = <T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  isPromise(value) ? Promise.resolve(value).then(next) : next(value);
