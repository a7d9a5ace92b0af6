import type { BlockedSender } from "@postern/core";
import { parseBlockedSender } from "@postern/core/store";
import { type Columns, fieldsOf } from "./columns.ts";
import { stored } from "./row.ts";

export const blockedSenderColumns = {
  account: ["account", (blocked) => blocked.account],
  id: ["id", (blocked) => blocked.id],
  sender: ["sender", (blocked) => blocked.sender],
  createdAt: ["created_at", (blocked) => blocked.createdAt],
} satisfies Columns<BlockedSender, keyof BlockedSender>;

/** The JSON that `blockedSenderOf` needs, from `blocked_senders AS b`. */
export const BLOCKED_SENDER = `json_build_object(${fieldsOf(blockedSenderColumns, "b")})`;

/** @throws DamagedRow */
export const blockedSenderOf = (data: unknown): BlockedSender =>
  stored("blocked_senders", parseBlockedSender, data);
