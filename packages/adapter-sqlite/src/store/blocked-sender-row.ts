import type { BlockedSender } from "@postern/core";
import { parseBlockedSender } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";

/** `row` has all columns of `blocked_senders`. */
export const blockedSenderOf = (row: Row): BlockedSender =>
  stored("blocked_senders", () =>
    parseBlockedSender({
      id: row["id"],
      account: row["account"],
      sender: row["sender"],
      createdAt: row["created_at"],
    } satisfies Record<keyof BlockedSender, unknown>),
  );
