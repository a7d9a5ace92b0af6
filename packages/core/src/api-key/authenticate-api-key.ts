import { err, ok } from "neverthrow";
import * as z from "zod";
import type { ApiKeyInvalid, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { rememberedAnswers } from "../operation/remembered-answers.ts";
import type { OnUnreported } from "../ports/port-result.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { ApiKey, CLIENT_KINDS, type ClientKind } from "./api-key.ts";
import { hashApiKeySecret, parseApiKeySecret } from "./api-key-secret.ts";
import type { ApiKeys } from "./api-keys.ts";
import { recordKeyUse } from "./record-key-use.ts";

const query = z.object({ secret: z.string(), client: z.enum(CLIENT_KINDS) });

export type AuthenticateApiKeyQuery = {
  /** What the program presents, whatever it is. */
  readonly secret: string;
  /** The kind of program, to be shown to the owner of the key. */
  readonly client: ClientKind;
};

export type AuthenticateApiKeyError = InvalidRequest | ApiKeyInvalid | Unavailable;

const UNKNOWN: ApiKeyInvalid = { code: "api_key_invalid", reason: "unknown" };

/**
 * The API key with this secret. Whether its account is suspended is not checked here: each operation of the account does that. Once an
 * hour, records that the key was used; if that fails, the key is as good, and 10 seconds pass until the next attempt.
 *
 * What the store says is cached for 10 seconds, so the `lastUse` that is returned can be older than the stored one. Secrets with a wrong
 * checksum never lead to the store.
 *
 * @example
 * ```ts
 * const authenticated = await service.authenticateApiKey({ secret, client: "program" });
 * ```
 */
export const authenticateApiKey = ({
  apiKeys,
  secrets,
  onUnreported,
  ...timing
}: Timing & {
  readonly apiKeys: Pick<ApiKeys, "findByHash" | "recordUse">;
  readonly secrets: Pick<Secrets, "hash">;
  readonly onUnreported?: OnUnreported | undefined;
}): Operation<AuthenticateApiKeyQuery, ApiKey, AuthenticateApiKeyError> => {
  const { clock } = timing;
  const { find } = rememberedAnswers(
    (hash: LedgerKey, timeLeft) => apiKeys.findByHash(hash, timeLeft),
    clock,
  );
  const recordUse = recordKeyUse({ apiKeys, clock, onUnreported });
  return operation(timing, query, async ({ secret: presented, client }, timeLeft) => {
    const secret = parseApiKeySecret(presented);
    if (secret === null) return err(UNKNOWN);
    const hash = hashApiKeySecret(secrets.hash, secret);
    const found = await find(hash, timeLeft());
    if (found.isErr()) return err(found.error);
    const apiKey = found.value;
    if (apiKey === null) return err(UNKNOWN);
    if (ApiKey.isExpired(apiKey, clock.now())) return err({ code: "api_key_invalid", reason: "expired" });
    await recordUse(apiKey, client, timeLeft());
    return ok(apiKey);
  });
};
