import type { AnyStore, BaseStore, Store, StoreParts } from "@postern/core";

/** A part that a store can have, or the list of all accounts. */
export type Part = keyof StoreParts | "accounts";

/** The ports of each part. */
const PORTS: Readonly<Record<Part, readonly Exclude<keyof Store, keyof BaseStore>[]>> = {
  contacts: ["contacts"],
  blockedSenders: ["blockedSenders"],
  messages: ["messageLog", "resends"],
  handedReports: ["handedReports"],
  webhooks: ["webhooks", "outbox"],
  apiKeys: ["apiKeys"],
  suspensions: ["suspensions"],
  accounts: ["accounts"],
};

const PARTS: readonly Part[] = [
  "contacts",
  "blockedSenders",
  "messages",
  "handedReports",
  "webhooks",
  "apiKeys",
  "suspensions",
  "accounts",
];

/** The parts that the store has; null if it has half of one. */
export const partsOf = (store: AnyStore): ReadonlySet<Part> | null => {
  const has = (port: keyof Store): boolean => store[port] !== undefined;
  if (PARTS.some((part) => PORTS[part].some(has) && !PORTS[part].every(has))) return null;
  return new Set(PARTS.filter((part) => PORTS[part].every(has)));
};
