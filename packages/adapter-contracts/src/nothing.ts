import { type BaseStore, err, ok, type PortResult, type Store, type Unavailable } from "@postern/core";

const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

const emptyPage = async (): PortResult<{ readonly items: readonly never[]; readonly next: null }> =>
  ok({ items: [], next: null });

/**
 * What checks see in place of the parts that a store lacks: there is nothing, and nothing can be stored. Only what erases or compares
 * everything in an account reads it.
 */
export const NOTHING: Omit<Store, keyof BaseStore> = {
  contacts: {
    record: unavailable,
    meet: unavailable,
    find: async () => ok(null),
    findByEmails: async () => ok([]),
    list: emptyPage,
    listOfAccount: emptyPage,
    save: unavailable,
    create: unavailable,
  },
  blockedSenders: { block: unavailable, unblock: unavailable, list: emptyPage },
  messageLog: { save: unavailable, find: async () => ok(null), list: emptyPage },
  resends: { request: unavailable, list: async () => ok([]), finish: unavailable },
  handedReports: { handOver: unavailable, list: async () => ok([]), finish: unavailable },
  webhooks: { create: unavailable, list: async () => ok([]), save: unavailable, remove: unavailable },
  outbox: {
    announce: unavailable,
    list: emptyPage,
    remove: unavailable,
    begin: async () => ok([]),
    end: unavailable,
  },
  apiKeys: {
    create: unavailable,
    list: async () => ok([]),
    findByHash: async () => ok(null),
    recordUse: unavailable,
    remove: unavailable,
  },
  suspensions: { find: async () => ok(null), suspend: unavailable, resume: async () => ok() },
  accounts: emptyPage,
};
