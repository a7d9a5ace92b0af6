import type { PortResult, Result } from "@postern/core";
import type { MailPlanePorts } from "@postern/core/mail";

/* The store is open in the main thread, and the mail plane calls its operations from another one. */

export type MailStore = MailPlanePorts["store"];

const PORTS = [
  "aliases",
  "recipients",
  "contacts",
  "blockedSenders",
  "messageLog",
  "resends",
  "webhooks",
  "outbox",
  "mailLedger",
  "suspensions",
] as const satisfies readonly (keyof MailStore)[];

type Operation = (...input: readonly unknown[]) => PortResult<unknown, unknown>;

/** The operations of a store by their names, such as `aliases.save`. */
export const operationsOf = (store: MailStore): ReadonlyMap<string, Operation> =>
  new Map(
    PORTS.flatMap((port) =>
      Object.entries(store[port]).map(
        // Sound because only `storeOf` calls it, with what the operation of this name was called with.
        ([name, operation]) => [`${port}.${name}`, operation as Operation] as const,
      ),
    ),
  );

/** A store of which `call` calls the operations. `names` are those of `operationsOf`. */
export const storeOf = (
  names: readonly string[],
  call: (name: string, input: readonly unknown[]) => Promise<Result<unknown, unknown>>,
): MailStore => {
  const store: Record<string, Record<string, unknown>> = {};
  for (const name of names) {
    const [port = "", operation = ""] = name.split(".");
    store[port] = { ...store[port], [operation]: (...input: readonly unknown[]) => call(name, input) };
  }
  // Sound because each operation is that of a store with this name.
  return store as MailStore;
};
