import { err, ok, type Result } from "@postern/core";
import type { Page } from "@postern/core/store";

/* The verbs of broken stores and spools: each makes what takes the place of a port. */

type Answer<T, E> = Promise<Result<T, E>>;
type Maybe<T> = T | Promise<T>;

/** What is called instead of a port, with the port and the arguments for it. */
export type Instead<Args extends unknown[], T, E> = (
  port: (...args: Args) => Answer<T, E>,
  ...args: Args
) => Answer<T, E>;

/** What may be called instead of this port. */
export type InsteadOf<Port> = Port extends (...args: infer Args) => Answer<infer T, infer E>
  ? Instead<Args, T, E>
  : never;

/** Changes what the port returns. */
export const answering =
  <Args extends unknown[], T, E>(
    change: NoInfer<(value: T, ...args: Args) => Maybe<T>>,
  ): Instead<Args, T, E> =>
  async (port, ...args) => {
    const answer = await port(...args);
    return answer.isOk() ? ok(await change(answer.value, ...args)) : err(answer.error);
  };

/** Changes what the port finds, if it finds anything. */
export const finding = <Args extends unknown[], T extends object, E>(
  change: NoInfer<(found: T, ...args: Args) => Maybe<T | null>>,
): Instead<Args, T | null, E> => answering((found, ...args) => found && change(found, ...args));

/** Changes the items of the page that the port returns. */
export const listing = <Args extends unknown[], T, Id, E>(
  change: NoInfer<(items: readonly T[], ...args: Args) => Maybe<readonly T[]>>,
): Instead<Args, Page<T, Id>, E> =>
  answering(async ({ items, next }, ...args) => ({ items: await change(items, ...args), next }));

/** Changes where the page that the port returns says that the next one starts. */
export const continuing = <Args extends unknown[], T, Id, E>(
  change: NoInfer<(page: Page<T, Id>, ...args: Args) => Id | null>,
): Instead<Args, Page<T, Id>, E> =>
  answering(({ items, next }, ...args) => ({ items, next: change({ items, next }, ...args) }));

/** Changes the arguments of the port. */
export const calling =
  <Args extends unknown[], T, E>(change: NoInfer<(...args: Args) => Maybe<Args>>): Instead<Args, T, E> =>
  async (port, ...args) =>
    port(...(await change(...args)));

/** Changes the first argument of the port, such as what is stored. */
export const changingFirst =
  <Item, Others extends unknown[], T, E>(
    change: NoInfer<(item: Item, ...others: Others) => Maybe<Item>>,
  ): Instead<[Item, ...Others], T, E> =>
  async (port, item, ...others) =>
    port(await change(item, ...others), ...others);

/** Changes the second argument of the port, such as what is saved, or the page that is asked for. */
export const changingSecond =
  <Before, After, Others extends unknown[], T, E>(
    change: NoInfer<(after: After, before: Before) => After>,
  ): Instead<[Before, After, ...Others], T, E> =>
  async (port, before, after, ...others) =>
    port(before, change(after, before), ...others);

/** Does something before the port is called. */
export const before =
  <Args extends unknown[], T, E>(act: NoInfer<(...args: Args) => unknown>): Instead<Args, T, E> =>
  async (port, ...args) => {
    await act(...args);
    return port(...args);
  };

/** Does something after the port has succeeded. */
export const after = <Args extends unknown[], T, E>(
  act: NoInfer<(...args: Args) => unknown>,
): Instead<Args, T, E> =>
  answering(async (value, ...args) => {
    await act(...args);
    return value;
  });

/** Does something after the port has failed. */
export const afterFailure =
  <Args extends unknown[], T, E>(act: NoInfer<(error: E, ...args: Args) => unknown>): Instead<Args, T, E> =>
  async (port, ...args) => {
    const answer = await port(...args);
    if (answer.isErr()) await act(answer.error, ...args);
    return answer;
  };

/** Says that something is done, and does nothing. */
export const ignoring = async (): Answer<void, never> => ok();

/** Says that something is done, and does nothing, under this condition. */
export const ignoringIf =
  <Args extends unknown[], E>(
    condition: NoInfer<(...args: Args) => Maybe<boolean>>,
  ): Instead<Args, void, E> =>
  async (port, ...args) =>
    (await condition(...args)) ? ok() : port(...args);

/** Fails under this condition. */
export const failingIf =
  <Args extends unknown[], T, E>(
    error: NoInfer<E>,
    condition: NoInfer<(...args: Args) => Maybe<boolean>>,
  ): Instead<Args, T, E> =>
  async (port, ...args) =>
    (await condition(...args)) ? err(error) : port(...args);

/** Says that something is done although it failed for this reason. */
export const denying =
  <Args extends unknown[], E extends { readonly code: string }>(
    code: E["code"],
    condition: NoInfer<(...args: Args) => Maybe<boolean>> = () => true,
  ): Instead<Args, void, E> =>
  async (port, ...args) => {
    const answer = await port(...args);
    return answer.isErr() && answer.error.code === code && (await condition(...args)) ? ok() : answer;
  };

/** The value that was first remembered for the key: this one, if it is the first. */
export const firstOf = <T>(memory: Map<string, T>, key: string, value: T): T => {
  const first = memory.get(key) ?? value;
  memory.set(key, first);
  return first;
};

/** Adds the key to those that were seen; whether it is new. */
export const isNew = (seen: Set<string>, key: string): boolean => {
  const { size } = seen;
  return seen.add(key).size > size;
};
