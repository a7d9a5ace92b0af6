import { memoryStore } from "@postern/adapter-memory";
import { err, type Result, type Store } from "@postern/core";

/** Replaces a call of the port. `call` makes it, with the same arguments or with others. */
type Intercept = (
  port: string,
  call: (other?: readonly unknown[]) => Promise<Result<unknown, { readonly code: string }>>,
  args: readonly unknown[],
) => unknown;

/** The same ports, with every call going through `intercept`. */
const intercepting = <Ports extends object>(ports: Ports, prefix: string, intercept: Intercept): Ports =>
  new Proxy(ports, {
    get: (target, name) => {
      const port: unknown = Reflect.get(target, name);
      return typeof port === "function"
        ? (...args: readonly unknown[]) =>
            intercept(`${prefix}${String(name)}`, (other = args) => port(...other), args)
        : port;
    },
  });

/** The store, by default the correct one, with every call going through `intercept`. */
export const intercepted = (intercept: Intercept, store: Store = memoryStore()): Store => {
  const { accounts, ping } = intercepting(store, "", intercept);
  return {
    aliases: intercepting(store.aliases, "aliases.", intercept),
    recipients: intercepting(store.recipients, "recipients.", intercept),
    contacts: intercepting(store.contacts, "contacts.", intercept),
    blockedSenders: intercepting(store.blockedSenders, "blockedSenders.", intercept),
    messageLog: intercepting(store.messageLog, "messageLog.", intercept),
    resends: intercepting(store.resends, "resends.", intercept),
    webhooks: intercepting(store.webhooks, "webhooks.", intercept),
    outbox: intercepting(store.outbox, "outbox.", intercept),
    mailLedger: intercepting(store.mailLedger, "mailLedger.", intercept),
    suspensions: intercepting(store.suspensions, "suspensions.", intercept),
    accounts,
    ping,
  };
};

/** The store, except that it begins no call that has no time left. */
export const inTime = (store: Store): Store =>
  intercepted(async (port, call, args) => {
    // The last argument of no other call is 0, except the time since when an account is suspended.
    const late = args.at(-1) === 0 && !(port === "suspensions.suspend" && args.length === 2);
    return late ? err({ code: "unavailable" }) : call();
  }, store);
