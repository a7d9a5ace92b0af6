import type { Alias, AliasId, Store } from "@postern/core";
import type { Page } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { ACCOUNT } from "./samples.ts";

/** All aliases of the account, live ones first. */
export const storedAliases = async (store: Store): Promise<readonly Alias[]> => {
  const all: Alias[] = [];
  for (const deleted of [false, true]) {
    let after: AliasId | null = null;
    do {
      const page: Page<Alias, AliasId> = valueOf(
        await store.aliases.list(ACCOUNT, { limit: 100, after }, { deleted }),
      );
      all.push(...page.items);
      after = page.next;
    } while (after !== null);
  }
  return all;
};
