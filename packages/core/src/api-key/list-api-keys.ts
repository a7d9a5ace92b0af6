import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId, compareIds } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { ApiKey } from "./api-key.ts";
import type { ApiKeys } from "./api-keys.ts";

const query = z.object({ account: accountId });

export type ListApiKeysQuery = { readonly account: string };

export type ListApiKeysError = InvalidRequest | Unavailable;

/**
 * Returns all API keys of the account, newest first.
 *
 * @example
 * ```ts
 * const apiKeys = await service.listApiKeys({ account });
 * ```
 */
export const listApiKeys = ({
  apiKeys,
  ...timing
}: Timing & { readonly apiKeys: Pick<ApiKeys, "list"> }): Operation<
  ListApiKeysQuery,
  readonly ApiKey[],
  ListApiKeysError
> =>
  operation(timing, query, async ({ account }, timeLeft) =>
    (await apiKeys.list(account, timeLeft())).map((found) =>
      found.toSorted((a, b) => b.createdAt - a.createdAt || compareIds(b.id, a.id)),
    ),
  );
