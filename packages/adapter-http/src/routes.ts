import type { Route } from "./route.ts";
import { addRecipientRoute } from "./routes/add-recipient.ts";
import { createAliasRoute } from "./routes/create-alias.ts";
import { deleteAliasRoute } from "./routes/delete-alias.ts";
import { deleteRecipientRoute } from "./routes/delete-recipient.ts";
import { getAliasRoute } from "./routes/get-alias.ts";
import { getRecipientRoute } from "./routes/get-recipient.ts";
import { healthRoute } from "./routes/health.ts";
import { listAliasesRoute } from "./routes/list-aliases.ts";
import { listRecipientsRoute } from "./routes/list-recipients.ts";
import { reassignRecipientRoute } from "./routes/reassign-recipient.ts";
import { replaceRecipientsRoute } from "./routes/replace-recipients.ts";
import { resendVerificationRoute } from "./routes/resend-verification.ts";
import { restoreAliasRoute } from "./routes/restore-alias.ts";
import { updateAliasRoute } from "./routes/update-alias.ts";
import { updateRecipientRoute } from "./routes/update-recipient.ts";
import { verifyRecipientRoute } from "./routes/verify-recipient.ts";

/** Every operation there is, in the order of the OpenAPI document. */
export const ROUTES: readonly Route[] = [
  replaceRecipientsRoute,
  listAliasesRoute,
  createAliasRoute,
  getAliasRoute,
  updateAliasRoute,
  deleteAliasRoute,
  restoreAliasRoute,
  listRecipientsRoute,
  addRecipientRoute,
  verifyRecipientRoute,
  getRecipientRoute,
  updateRecipientRoute,
  deleteRecipientRoute,
  resendVerificationRoute,
  reassignRecipientRoute,
  healthRoute,
];

/** Everything is reachable with and without the version's prefix (specification, section 9). */
export const PREFIXES = ["", "/v1"] as const;
