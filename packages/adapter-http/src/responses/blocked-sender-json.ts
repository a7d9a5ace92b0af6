import type { BlockedSender } from "@postern/core";
import { count, type NamedSchema, object, type Schema } from "../openapi/schema.ts";

const PROPERTIES = {
  blocked_sender_id: { type: "string", description: "Opaque" },
  sender: {
    type: "string",
    description: "An email address, or a domain, which stands for its subdomains too",
  },
  datetime_created: count("When it was blocked, in Unix epoch milliseconds"),
} satisfies Record<string, Schema>;

/** A blocked sender as clients see it. */
export const BLOCKED_SENDER: NamedSchema = { name: "BlockedSender", schema: object(PROPERTIES) };

export const blockedSenderJson = (blocked: BlockedSender): Record<keyof typeof PROPERTIES, unknown> => ({
  blocked_sender_id: blocked.id,
  sender: blocked.sender,
  datetime_created: blocked.createdAt,
});
