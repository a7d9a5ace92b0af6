import type { Result } from "neverthrow";
import * as z from "zod";
import { recipientIds } from "../alias/destinations.ts";
import { MAX_ACTIVE_UNTIL } from "../alias/rules.ts";
import { apiKeyId } from "../values/base32-ids.ts";
import { domain } from "../values/email-address.ts";
import { accountId } from "../values/identifiers.ts";
import { ledgerKey } from "../values/ledger-key.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp } from "../values/stored.ts";
import { type ApiKey, CLIENT_KINDS } from "./api-key.ts";
import { scopes } from "./scope.ts";

const storedApiKey = z.object({
  id: apiKeyId,
  account: accountId,
  hash: ledgerKey,
  name: z.string(),
  scopes,
  aliasDomain: domain.nullable(),
  recipientIds: recipientIds.nullable(),
  expiresAt: timestamp.max(MAX_ACTIVE_UNTIL).nullable(),
  createdAt: timestamp,
  lastUse: z.object({ at: timestamp, by: z.enum(CLIENT_KINDS) }).nullable(),
});

/**
 * Parses an API key that was stored or exported as plain data with the fields of `ApiKey`. Unknown fields are dropped; a missing one is an
 * issue.
 */
export const parseApiKey = (input: unknown): Result<ApiKey, InvalidRequest> => parse(storedApiKey, input);
