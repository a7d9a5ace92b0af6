import type { Result } from "neverthrow";

/**
 * The value of a successful result. For tests: a failure is thrown with its code in the message.
 *
 * @throws Error if the result is a failure
 * @example
 * ```ts
 * const alias = valueOf(await service.createAlias({ account, recipientIds: [home] }));
 * ```
 */
export const valueOf = <T>(result: Result<T, { readonly code: string }>): T => {
  if (result.isErr())
    throw new Error(`Expected a value, but got the failure ${JSON.stringify(result.error)}`);
  return result.value;
};

/**
 * The failure of an unsuccessful result. For tests.
 *
 * @throws Error if the result is a success
 */
export const failureOf = <E>(result: Result<unknown, E>): E => {
  if (result.isOk()) throw new Error(`Expected a failure, but got the value ${JSON.stringify(result.value)}`);
  return result.error;
};
