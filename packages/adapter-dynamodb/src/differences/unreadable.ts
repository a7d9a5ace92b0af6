import type { AccountId } from "@postern/core";
import type { Difference } from "@postern/core/store";
import type { Key } from "../table.ts";

/** The item at the key does not parse: it is damaged, or of a newer version. */
export const unreadable = (account: AccountId | null, { sk, pk }: Key): Difference => ({
  kind: "unreadable",
  account,
  alias: null,
  recipient: null,
  // The partition key contains the account.
  stored: `the item ${account === null ? pk : sk} does not parse`,
  right: "a valid one",
  remedy: {
    by: "operator",
    action: "restore it from a backup, or use the newer version that wrote it",
    detach: null,
  },
});
