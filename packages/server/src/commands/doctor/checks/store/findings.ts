import { type Found, fine, skippedAfter } from "../../check.ts";

/** Whether there is a store, whether it can be written, and whether its content (on DynamoDB, its table) is as it should be. */
export const STORE_CHECKS = ["store", "store-writes", "store-integrity"] as const;

export type StoreFindings = Readonly<Record<(typeof STORE_CHECKS)[number], Found>>;

/** The store cannot be used, so nothing else is known about it. */
export const onlyStore = (store: Found): StoreFindings => ({
  store,
  "store-writes": skippedAfter("store"),
  "store-integrity": skippedAfter("store"),
});

/** Nothing else can be said yet, for this reason. */
export const storeLater = (store: Found, reason: string): StoreFindings => ({
  store,
  "store-writes": fine(reason),
  "store-integrity": fine(reason),
});
