import { err, ok } from "neverthrow";
import * as z from "zod";
import { Destinations, type RecipientIds, recipientIds } from "../alias/destinations.ts";
import { MAX_ACTIVE_UNTIL } from "../alias/rules.ts";
import type {
  AddressNotAllowed,
  ApiKeysDisabled,
  RecipientsIneligible,
  TooManyApiKeys,
  Unavailable,
} from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Recipients } from "../recipient/recipients.ts";
import type { AliasDomains } from "../values/alias-domains.ts";
import { newApiKeyId } from "../values/base32-ids.ts";
import { domain } from "../values/email-address.ts";
import { accountId, isText } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { ApiKey } from "./api-key.ts";
import { type ApiKeySecret, hashApiKeySecret, newApiKeySecret } from "./api-key-secret.ts";
import type { ApiKeys } from "./api-keys.ts";
import { type Scope, scopes } from "./scope.ts";

/** The maximum length of the name of an API key, in UTF-16 code units, once trimmed. */
export const MAX_API_KEY_NAME_LENGTH = 100;

const command = (now: () => number) =>
  z.object({
    account: accountId,
    name: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(MAX_API_KEY_NAME_LENGTH, `must be at most ${MAX_API_KEY_NAME_LENGTH} characters`)
      .refine(isText, "must be text without control characters"),
    scopes,
    aliasDomain: domain.optional(),
    recipientIds: recipientIds.optional(),
    expiresAt: z
      .int()
      .max(MAX_ACTIVE_UNTIL, "must be in milliseconds since 1970, and before the year 10000")
      .refine((at) => at > now(), "must be in the future")
      .optional(),
  });

export type CreateApiKeyCommand = {
  readonly account: string;
  /** What its owner calls it: 1 to 100 characters once trimmed. */
  readonly name: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
  /** The alias domain on which it creates aliases for websites; the first one by default. */
  readonly aliasDomain?: string | undefined;
  /** The recipients of the aliases that it creates for websites; the account's default recipient by default. */
  readonly recipientIds?: readonly string[] | undefined;
  /** When it expires, in epoch milliseconds, in the future; never by default. */
  readonly expiresAt?: number | undefined;
};

export type CreateApiKeyError =
  | InvalidRequest
  | ApiKeysDisabled
  | AddressNotAllowed
  | RecipientsIneligible
  | TooManyApiKeys
  | Unavailable;

/** A new API key. The secret cannot be had again. */
export type ApiKeyCreated = { readonly apiKey: ApiKey; readonly secret: ApiKeySecret };

/** Cannot happen by chance: ids have 130 bits, and secrets more. */
const IN_USE: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "another API key has the id or the secret" },
};

/**
 * Creates an API key for a program. Not idempotent: each call creates another one. An account can have 20 (`MAX_API_KEYS`).
 *
 * @example
 * ```ts
 * const created = await service.createApiKey({ account, name: "Password manager", scopes: ["aliases:create"] });
 * ```
 */
export const createApiKey = ({
  apiKeys,
  recipients,
  aliasDomains,
  keysUrl,
  secrets,
  ...timing
}: Timing & {
  readonly apiKeys: Pick<ApiKeys, "create">;
  readonly recipients: Pick<Recipients, "findAll">;
  readonly aliasDomains: AliasDomains;
  /** Where programs use their keys; undefined if nowhere. */
  readonly keysUrl?: string | undefined;
  readonly secrets: Pick<Secrets, "random" | "hash">;
}): Operation<CreateApiKeyCommand, ApiKeyCreated, CreateApiKeyError> =>
  operation(
    timing,
    command(() => timing.clock.now()),
    async ({ account, name, scopes, aliasDomain, recipientIds, expiresAt }, timeLeft) => {
      if (keysUrl === undefined) return err({ code: "api_keys_disabled" });
      if (aliasDomain !== undefined && !aliasDomains.includes(aliasDomain)) {
        return err({ code: "address_not_allowed", reason: "not_an_alias_domain" });
      }
      let chosenIds: RecipientIds | null = null;
      if (recipientIds !== undefined) {
        const found = await recipients.findAll(account, recipientIds, timeLeft());
        if (found.isErr()) return err(found.error);
        const chosen = Destinations.choose(account, recipientIds, found.value);
        if (chosen.isErr()) return err(chosen.error);
        chosenIds = Destinations.recipientIds(chosen.value);
      }
      const secret = newApiKeySecret(secrets.random);
      const apiKey: ApiKey = {
        id: newApiKeyId(secrets.random),
        account,
        hash: hashApiKeySecret(secrets.hash, secret),
        name,
        scopes,
        aliasDomain: aliasDomain ?? null,
        recipientIds: chosenIds,
        expiresAt: expiresAt ?? null,
        createdAt: timing.clock.now(),
        lastUse: null,
      };
      const stored = await apiKeys.create(apiKey, timeLeft());
      if (stored.isErr()) return err(stored.error.code === "conflict" ? IN_USE : stored.error);
      return ok({ apiKey, secret });
    },
  );
