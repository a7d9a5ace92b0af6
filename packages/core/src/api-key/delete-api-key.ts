import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { apiKeyId } from "../values/base32-ids.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { ApiKeys } from "./api-keys.ts";

const command = z.object({ account: accountId, apiKeyId });

export type DeleteApiKeyCommand = { readonly account: string; readonly apiKeyId: string };

export type DeleteApiKeyError = InvalidRequest | Unavailable;

/**
 * Revokes an API key: from 10 seconds later at the latest, it is refused everywhere. Idempotent: succeeds even if there is none with this
 * id.
 *
 * @example
 * ```ts
 * await service.deleteApiKey({ account, apiKeyId });
 * ```
 */
export const deleteApiKey = ({
  apiKeys,
  ...timing
}: Timing & { readonly apiKeys: Pick<ApiKeys, "remove"> }): Operation<
  DeleteApiKeyCommand,
  void,
  DeleteApiKeyError
> =>
  operation(timing, command, ({ account, apiKeyId: id }, timeLeft) =>
    apiKeys.remove(account, id, timeLeft()),
  );
