import { type InvalidRequest, parseAccountId, parseWebhookId, type Result } from "@postern/core";
import type { WebhookKey } from "@postern/core/store";
import type { Row } from "./row.ts";

/** Which webhook a row is about, from its columns `account` and `webhook`. */
export const parsePlace = ({ account, webhook }: Row): Result<WebhookKey, InvalidRequest> =>
  parseAccountId(account).andThen((parsed) =>
    parseWebhookId(webhook).map((id): WebhookKey => ({ account: parsed, id })),
  );
