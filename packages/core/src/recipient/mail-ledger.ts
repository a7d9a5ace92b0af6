import type { Conflict } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import type { NonEmpty } from "../values/non-empty.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

/** Remembers the verification messages sent to each mailbox and for each account. Belongs to no account. */
export type MailLedger = {
  /**
   * The entries that exist, each once, in any order. Expired entries may be missing. An entry that is not found can be
   * saved as version 1.
   */
  find(keys: readonly LedgerKey[], timeLeft?: number): PortResult<readonly LedgerEntry[]>;

  /**
   * Stores the entries, which have distinct keys, all or nothing. `conflict`, and nothing changes, unless the previous
   * version of each is stored (for version 1: unless none is stored).
   */
  save(entries: NonEmpty<LedgerEntry>, timeLeft?: number): PortResult<void, Conflict>;

  /** The stored entries, each once, in an order of the store's choice. Pages can be short. */
  list(page: PageRequest<LedgerKey>): PortResult<Page<LedgerEntry, LedgerKey>>;
};
