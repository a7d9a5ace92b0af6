import { memoryStore } from "@postern/adapter-memory";
import { err, type Result, type Store } from "@postern/core";
import type { InsteadOf } from "./faults.ts";

/** Replaces a call of a port. `call` makes it, with the same arguments or with others. */
type Intercept = (
  port: string,
  call: (other?: readonly unknown[]) => Promise<Result<unknown, { readonly code: string }>>,
  args: readonly unknown[],
) => unknown;

/** The same ports, with every call going through `intercept`, which gets their names with the prefix. */
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
    handedReports: intercepting(store.handedReports, "handedReports.", intercept),
    webhooks: intercepting(store.webhooks, "webhooks.", intercept),
    outbox: intercepting(store.outbox, "outbox.", intercept),
    mailLedger: intercepting(store.mailLedger, "mailLedger.", intercept),
    creations: intercepting(store.creations, "creations.", intercept),
    apiKeys: intercepting(store.apiKeys, "apiKeys.", intercept),
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

/** Calls what `changes` names instead of the port, if it names anything. */
const changing =
  (changes: object): Intercept =>
  (name, call, args) => {
    const instead: unknown = Reflect.get(changes, name);
    return typeof instead === "function"
      ? instead((...other: readonly unknown[]) => call(other), ...args)
      : call();
  };

type AnyPort = (...args: never[]) => unknown;

type PortName = {
  [Group in keyof Store]: Store[Group] extends AnyPort ? Group : `${Group}.${keyof Store[Group] & string}`;
}[keyof Store];

type PortNamed<Name> = Name extends `${infer Group extends keyof Store}.${infer Port}`
  ? Port extends keyof Store[Group]
    ? Store[Group][Port]
    : never
  : Name extends keyof Store
    ? Store[Name]
    : never;

/** The ports of a store by their names, such as `aliases.create` or `ping`. */
type StorePorts = { readonly [Name in PortName]: PortNamed<Name> };

/** What is called instead of some ports. */
export type Changes<Ports = StorePorts> = { readonly [Name in keyof Ports]?: InsteadOf<Ports[Name]> };

/** The store, except that what `changes` names is called instead of its ports. */
export const changed = (store: Store, changes: Changes): Store => intercepted(changing(changes), store);

/** Likewise for ports that are not in groups. */
export const changedPorts = <Ports extends object>(ports: Ports, changes: Changes<Ports>): Ports =>
  intercepting(ports, "", changing(changes));
