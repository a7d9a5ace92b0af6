import type { BlockedSender } from "@postern/core";
import { type NamedSchema, object, type Schema, time } from "../openapi/schema.ts";

const PROPERTIES = {
  blocked_sender_id: { type: "string", description: "Opaque", examples: ["3z5zv3a7563x6z7yx2446zx2w6"] },
  sender: {
    type: "string",
    description: "An email address, or a domain, which stands for its subdomains too",
    examples: ["spam.example"],
  },
  datetime_created: time("When it was blocked, in Unix epoch milliseconds"),
} satisfies Record<string, Schema>;

/** A blocked sender as clients see it. */
export const BLOCKED_SENDER: NamedSchema = {
  name: "BlockedSender",
  schema: { ...object(PROPERTIES), description: "A sender whose mail no alias of the account accepts" },
};

export const blockedSenderJson = (blocked: BlockedSender): Record<keyof typeof PROPERTIES, unknown> => ({
  blocked_sender_id: blocked.id,
  sender: blocked.sender,
  datetime_created: blocked.createdAt,
});
