import {
  DEFAULT_PAGE_SIZE,
  MAX_ADDRESS_LENGTH,
  MAX_ID_LENGTH,
  MAX_PAGE_SIZE,
  MAX_RECIPIENTS,
} from "@postern/core";
import { nullable, type Schema } from "../openapi/schema.ts";
import { type CursorKind, decodeCursor } from "../requests/cursor.ts";
import { readIfMatch } from "../requests/if-match.ts";
import { asNumber } from "../requests/query-text.ts";
import { header, path, query } from "../requests/source.ts";

/*
 * Inputs that several routes share.
 */

export const ID = { type: "string", minLength: 1, maxLength: MAX_ID_LENGTH } as const satisfies Schema;

export const RECIPIENT_IDS = {
  type: "array",
  items: ID,
  minItems: 1,
  maxItems: MAX_RECIPIENTS,
  examples: [["recipient-1", "recipient-2"]],
} as const satisfies Schema;

export const EMAIL = {
  type: "string",
  format: "email",
  maxLength: MAX_ADDRESS_LENGTH,
} as const satisfies Schema;

export const ALIAS_ID = path("alias_id", { ...ID, description: "Opaque alias id" });

export const RECIPIENT_ID = path("recipient_id", { ...ID, description: "Opaque recipient id" });

export const CONTACT_ID = path("contact_id", { type: "string", description: "Opaque contact id" });

export const MESSAGE_ID = path("message_id", { type: "string", description: "Opaque message id" });

export const BLOCKED_SENDER_ID = path("blocked_sender_id", {
  type: "string",
  description: "Opaque id of a blocked sender",
});

export const WEBHOOK_ID = path("webhook_id", { type: "string", description: "Opaque webhook id" });

export const IF_MATCH = header(
  "If-Match",
  {
    type: "string",
    description: "The versions at which the write is allowed; `*` for any",
    examples: ['"3"'],
  },
  (sent) => readIfMatch(String(sent)),
);

export const LIMIT = query(
  "limit",
  {
    type: "integer",
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    default: DEFAULT_PAGE_SIZE,
    description: "The maximum number of items on the page",
  },
  asNumber,
);

export const pageCursor = (kind: CursorKind) =>
  query("cursor", { type: "string", description: "`next_cursor` of the previous page" }, decodeCursor(kind));

export const NEXT_CURSOR = nullable({
  type: "string",
  description: "Where the next page starts; null on the last page",
});
