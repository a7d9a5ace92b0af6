import { describe, test } from "vitest";
import type { OpenStore } from "./check.ts";
import { contract } from "./contract.ts";
import type { OpenSpool } from "./spool/spool-check.ts";
import { spoolContract } from "./spool/spool-contract.ts";

/** Long enough for a remote store, by night, on a machine that is overloaded. */
const TIMEOUT_MS = 1_800_000;

/**
 * Registers the contract with vitest: one test for each check, each with a timeout of half an hour. What is about a part that the store
 * lacks is skipped.
 *
 * @example
 * ```ts
 * testStore("myStore", async () => {
 *   const store = await openMyStore();
 *   return { store, close: () => store.close() };
 * });
 * ```
 */
export const testStore = (name: string, open: OpenStore): void => {
  describe(name, () => {
    for (const { name: promise, run } of contract) {
      test(promise, { timeout: TIMEOUT_MS }, ({ skip }) => run(open, skip));
    }
  });
};

/**
 * Registers the contract of spools with vitest: one test for each check, each with a timeout of half an hour.
 *
 * @example
 * ```ts
 * testSpool("mySpool", async ({ limit }) => {
 *   const spool = await openMySpool({ limit });
 *   return { spool, close: () => spool.close() };
 * });
 * ```
 */
export const testSpool = (name: string, open: OpenSpool): void => {
  describe(name, () => {
    for (const { name: promise, run } of spoolContract)
      test(promise, { timeout: TIMEOUT_MS }, () => run(open));
  });
};
