import type { PortResult, Store } from "@postern/core";

type Operation = (...input: readonly unknown[]) => PortResult<unknown, unknown>;

/**
 * The operations of a store by their names, such as `aliases.save` and `ping`. To be called only with what the operation of that name
 * takes.
 */
export const operationsOf = (store: Partial<Store>): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(store).flatMap(([name, port]) => {
      const named: readonly (readonly [string, unknown])[] =
        typeof port === "function"
          ? [[name, port]]
          : Object.entries(port).map(([own, operation]) => [`${name}.${own}`, operation]);
      // Sound because stores have nothing else.
      return named.map(([each, operation]) => [each, operation as Operation] as const);
    }),
  );
