import type { Route } from "./route.ts";
import { addRecipientRoute } from "./routes/add-recipient.ts";
import { createAliasRoute } from "./routes/create-alias.ts";
import { healthRoute } from "./routes/health.ts";
import { listAliasesRoute } from "./routes/list-aliases.ts";
import { listRecipientsRoute } from "./routes/list-recipients.ts";
import { replaceRecipientsRoute } from "./routes/replace-recipients.ts";
import { verifyRecipientRoute } from "./routes/verify-recipient.ts";

/** Every operation there is, in the order of the OpenAPI document. */
export const ROUTES: readonly Route[] = [
  replaceRecipientsRoute,
  listAliasesRoute,
  createAliasRoute,
  listRecipientsRoute,
  addRecipientRoute,
  verifyRecipientRoute,
  healthRoute,
];

/** Everything is reachable with and without the version's prefix (specification, section 9). */
export const PREFIXES = ["", "/v1"] as const;
