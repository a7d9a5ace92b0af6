import type { Store } from "@postern/core";
import { describe, test } from "vitest";
import { aliasChecks } from "./alias-checks.ts";
import { concurrencyChecks } from "./concurrency-checks.ts";
import { lifecycleChecks } from "./lifecycle-checks.ts";
import { pageChecks } from "./page-checks.ts";
import { recipientChecks } from "./recipient-checks.ts";
import { tallyChecks } from "./tally-checks.ts";
import { tenancyChecks } from "./tenancy-checks.ts";

/** A fresh, empty store for one check, and how to be rid of it afterwards. */
export type OpenStore = () => Promise<{ readonly store: Store; close(): Promise<void> }>;

/** One promise that every store keeps. Throws where `store` breaks it. */
export type Check = { readonly name: string; run(store: Store): Promise<void> };

/** All that a store promises. The definition of a store: what is not here is not promised. */
export const contract: readonly Check[] = [
  ...aliasChecks,
  ...recipientChecks,
  ...tallyChecks,
  ...tenancyChecks,
  ...pageChecks,
  ...concurrencyChecks,
  ...lifecycleChecks,
];

/** Registers the whole contract with vitest, one test a promise, each on a store of its own. */
export const testStore = (name: string, open: OpenStore): void => {
  describe(name, () => {
    test.for(contract)("$name", async (check) => {
      const { store, close } = await open();
      try {
        await check.run(store);
      } finally {
        await close();
      }
    });
  });
};
