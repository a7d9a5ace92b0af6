import type { Store } from "@postern/core";
import { guardPorts } from "./guard-ports.ts";

/** Opens a new, empty store. Stores that are open at the same time share nothing. */
export type OpenStore = () => Promise<{ readonly store: Store; close(): Promise<void> }>;

/**
 * One promise that every store must keep. `run` opens a store, closes it exactly once, and rejects if the store breaks
 * the promise. Checks share nothing, so they can run in any order and concurrently.
 */
export type Check = { readonly name: string; run(open: OpenStore): Promise<void> };

/** Makes a check from `body`, which throws if the store breaks the promise, and may close the store itself. */
export const check = (
  name: string,
  body: (store: Store, close: () => Promise<void>) => Promise<void>,
): Check => ({
  name,
  run: async (open) => {
    const opened = await open();
    const { store, violations } = guardPorts(opened.store);
    let closing: Promise<void> | null = null;
    const close = (): Promise<void> => {
      closing ??= opened.close();
      return closing;
    };
    const [ran] = await Promise.allSettled([body(store, close)]);
    const [closed] = await Promise.allSettled([close()]);
    // Report the root cause first: a rejecting port can make the check fail, and a failed check can keep its store from
    // closing.
    for (const violation of violations) throw violation;
    for (const outcome of [ran, closed]) if (outcome.status === "rejected") throw outcome.reason;
  },
});
