import { memoryStore } from "@postern/adapter-memory";
import type { Result, Store } from "@postern/core";

/** Replaces a call of the port. */
type Intercept = (port: string, call: () => Promise<Result<unknown, { readonly code: string }>>) => unknown;

/** The same ports, with every call going through `intercept`. */
const intercepting = <Ports extends object>(ports: Ports, prefix: string, intercept: Intercept): Ports =>
  new Proxy(ports, {
    get: (target, name) => {
      const port: unknown = Reflect.get(target, name);
      return typeof port === "function"
        ? (...args: readonly unknown[]) => intercept(`${prefix}${String(name)}`, () => port(...args))
        : port;
    },
  });

/** The correct store, with every call going through `intercept`. */
export const intercepted = (intercept: Intercept): Store => {
  const store = memoryStore();
  const { accounts, ping } = intercepting(store, "", intercept);
  return {
    aliases: intercepting(store.aliases, "aliases.", intercept),
    recipients: intercepting(store.recipients, "recipients.", intercept),
    mailLedger: intercepting(store.mailLedger, "mailLedger.", intercept),
    suspensions: intercepting(store.suspensions, "suspensions.", intercept),
    accounts,
    ping,
  };
};
