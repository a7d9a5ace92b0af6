import type { AnyStore, Store } from "@postern/core";
import { guardPorts } from "./guard-ports.ts";
import { type Part, partsOf } from "./parts.ts";

/** Opens a new, empty store. Stores that are open at the same time share nothing. */
export type OpenStore = () => Promise<{ readonly store: AnyStore; close(): Promise<void> }>;

/**
 * One promise that every store must keep. `run` opens a store, closes it exactly once, and rejects if the store breaks the promise. If the
 * promise is about a part that the store lacks, `run` calls `skip` with the reason, and resolves. Checks share nothing, so they can run in
 * any order and concurrently.
 */
export type Check = {
  readonly name: string;
  run(open: OpenStore, skip?: (reason: string) => void): Promise<void>;
};

/** Throws if the store breaks the promise, and may close the store itself. `has` are the parts that the store has. */
type Body = (store: Store, close: () => Promise<void>, has: ReadonlySet<Part>) => Promise<void>;

/** Makes checks about these parts of a store. They are not about stores that lack one of them. */
export const checkOf =
  (...needs: readonly Part[]) =>
  (name: string, body: Body): Check => ({
    name,
    run: async (open, skip = () => {}) => {
      const opened = await open();
      const has = partsOf(opened.store);
      const lacking = has === null ? [] : needs.filter((part) => !has.has(part));
      if (has === null || lacking.length > 0) {
        await opened.close();
        if (has === null) throw new Error("the store has half of a part: see `StoreParts`");
        skip(`the store lacks ${lacking.join(" and ")}`);
        return;
      }
      const { store, violations } = guardPorts(opened.store);
      let closing: Promise<void> | null = null;
      const close = (): Promise<void> => {
        closing ??= opened.close();
        return closing;
      };
      const [ran] = await Promise.allSettled([body(store, close, has)]);
      const [closed] = await Promise.allSettled([close()]);
      // Report the root cause first: a rejecting port can make the check fail, and a failed check can keep its store from
      // closing.
      for (const violation of violations) throw violation;
      for (const outcome of [ran, closed]) if (outcome.status === "rejected") throw outcome.reason;
    },
  });

/** Makes a check about what every store has. */
export const check = checkOf();
