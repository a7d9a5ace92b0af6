import {
  DEFAULT_PAGE_SIZE,
  MAX_ADDRESS_LENGTH,
  MAX_DOMAIN_LENGTH,
  MAX_ID_LENGTH,
  MAX_PAGE_SIZE,
  MAX_RECIPIENTS,
  MAX_WEBSITE_LENGTH,
  ok,
} from "@postern/core";
import { CURSOR, ID as ID_PATTERN, POSITION, RANDOM_ID, SENDER_DOMAIN } from "../openapi/patterns.ts";
import { nullable, type Schema } from "../openapi/schema.ts";
import { type CursorKind, decodeCursor } from "../requests/cursor.ts";
import { readIfMatch, TAGS } from "../requests/if-match.ts";
import { asNumber } from "../requests/query-text.ts";
import { header, member, path, query } from "../requests/source.ts";

/*
 * Inputs that several routes share.
 */

export const ID = {
  type: "string",
  minLength: 1,
  maxLength: MAX_ID_LENGTH,
  pattern: ID_PATTERN,
} as const satisfies Schema;

const ALIAS = "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01";
const RECIPIENT = "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a";
const OTHER_RECIPIENT = "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b";

/** An id of 26 characters. */
const randomId = (description: string): Schema => ({
  type: "string",
  pattern: RANDOM_ID,
  description,
  examples: ["mtkuqszxt4aqwjmuqrmhai7toe"],
});

export const RECIPIENT_IDS = {
  type: "array",
  items: ID,
  minItems: 1,
  maxItems: MAX_RECIPIENTS,
  examples: [[RECIPIENT, OTHER_RECIPIENT]],
} as const satisfies Schema;

export const EMAIL = {
  type: "string",
  format: "email",
  maxLength: MAX_ADDRESS_LENGTH,
} as const satisfies Schema;

/** Whose mail is meant. */
export const SENDER = {
  anyOf: [EMAIL, { type: "string", maxLength: MAX_DOMAIN_LENGTH, pattern: SENDER_DOMAIN }],
} as const satisfies Schema;

export const ALIAS_ID = path("alias_id", { ...ID, description: "Opaque alias id", examples: [ALIAS] });

export const RECIPIENT_ID = path("recipient_id", {
  ...ID,
  description: "Opaque recipient id",
  examples: [RECIPIENT],
});

export const CONTACT_ID = path("contact_id", randomId("Opaque contact id"));

export const MESSAGE_ID = path("message_id", {
  type: "string",
  pattern: POSITION,
  description: "Opaque message id",
  examples: ["0001760000000000mtkuqszxt4aqwjmuqrmhai7toe"],
});

export const BLOCKED_SENDER_ID = path("blocked_sender_id", randomId("Opaque id of a blocked sender"));

export const WEBHOOK_ID = path("webhook_id", randomId("Opaque webhook id"));

export const API_KEY_ID = path("key_id", randomId("Opaque id of a key"));

export const WEBSITE = member("website", {
  type: "string",
  maxLength: MAX_WEBSITE_LENGTH,
  description: "The website that the alias is for, as an address or a host: its host is kept. Empty for none",
  examples: ["https://shop.example/login"],
});

export const IF_MATCH = header(
  "If-Match",
  {
    type: "string",
    pattern: `^(?:\\*|${TAGS})$`,
    description: "The versions at which the write is allowed; `*` for any",
    examples: ['"3"'],
  },
  (sent) => readIfMatch(String(sent)),
);

export const IDEMPOTENCY_KEY = header(
  "Idempotency-Key",
  {
    type: "string",
    pattern: "^[!-~]{1,128}$",
    description:
      "A new random text for each creation. For 24 hours, repeating the request with the same key creates nothing, and the response has " +
      "what the first one created",
    examples: ["4f2c1e0a-5b7d-4a51-9f3e-2d8c6b90a7e1"],
  },
  (sent) => ok(sent),
);

export const LIMIT = query(
  "limit",
  {
    type: "integer",
    format: "int32",
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    description: `The maximum number of items on the page; ${DEFAULT_PAGE_SIZE} by default`,
    examples: [20],
  },
  asNumber,
);

/** Where to continue in a list. */
export const CURSOR_TEXT = {
  type: "string",
  pattern: CURSOR,
  examples: ["RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA"],
} as const satisfies Schema;

export const pageCursor = (kind: CursorKind) =>
  query("cursor", { ...CURSOR_TEXT, description: "`next_cursor` of the previous page" }, decodeCursor(kind));

export const NEXT_CURSOR = nullable({
  ...CURSOR_TEXT,
  description: "Where the next page starts; null on the last page",
});
