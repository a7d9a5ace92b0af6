import type { Result } from "@postern/core";
import type { MailPlanePorts } from "@postern/mail";

/* The store is open in the main thread, and the mail plane calls its operations from another one. */

export type MailStore = MailPlanePorts["store"];

/** A store whose operations are called through `call`. `names` are those of `operationsOf`. */
export const storeOf = (
  names: readonly string[],
  call: (name: string, input: readonly unknown[]) => Promise<Result<unknown, unknown>>,
): MailStore => {
  const store: Record<string, object> = {};
  for (const name of names) {
    const [port = "", operation] = name.split(".");
    const called = (...input: readonly unknown[]) => call(name, input);
    store[port] = operation === undefined ? called : { ...store[port], [operation]: called };
  }
  // Sound because each operation calls the store's operation of the same name.
  return store as MailStore;
};
