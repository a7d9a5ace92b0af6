import type { PortResult, Store } from "@postern/core";

type Operation = (...input: readonly unknown[]) => PortResult<unknown, unknown>;

/** The operations of a store by name, such as `aliases.save` and `ping`. Call each only with the input of the operation of that name. */
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
