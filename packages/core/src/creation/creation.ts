import type { Result } from "neverthrow";
import * as z from "zod";
import { webhookId } from "../values/base32-ids.ts";
import { type AccountId, type AliasId, accountId, aliasId, type WebhookId } from "../values/identifiers.ts";
import { type LedgerKey, ledgerKey } from "../values/ledger-key.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp } from "../values/stored.ts";

/** How long a creation with an idempotency key is remembered, in milliseconds. */
export const CREATION_RETENTION = 24 * 60 * 60 * 1000;

/** What an account asked to be created with an idempotency key. */
export type Once = {
  readonly account: AccountId;
  /** A keyed hash of the account and the idempotency key. */
  readonly key: LedgerKey;
  /** A keyed hash of what was asked for. */
  readonly fingerprint: LedgerKey;
  /** For how long it is remembered, in milliseconds. */
  readonly retention: number;
};

/** That something was created with an idempotency key, and what. It may have been removed since. */
export type Creation = Omit<Once, "retention"> & {
  /** In epoch milliseconds. */
  readonly at: number;
  /** Until when it is remembered, in epoch milliseconds. */
  readonly expiresAt: number;
} & Created;

/** What was created. */
type Created =
  | { readonly kind: "alias"; readonly id: AliasId }
  | { readonly kind: "webhook"; readonly id: WebhookId };

export const Creation = {
  of: ({ retention, ...once }: Once, created: Created, at: number): Creation => ({
    ...once,
    ...created,
    at,
    expiresAt: at + retention,
  }),
};

const once = {
  account: accountId,
  key: ledgerKey,
  fingerprint: ledgerKey,
  at: timestamp,
  // Missing in those stored when all of them were remembered equally long.
  expiresAt: timestamp.nullish(),
};

const creation = z
  .discriminatedUnion("kind", [
    z.object({ ...once, kind: z.literal("alias"), id: aliasId }),
    z.object({ ...once, kind: z.literal("webhook"), id: webhookId }),
  ])
  .transform(
    ({ expiresAt, ...stored }): Creation => ({
      ...stored,
      expiresAt: expiresAt ?? stored.at + CREATION_RETENTION,
    }),
  );

/** Parses a creation that was stored as plain data with the fields of `Creation`. Unknown fields are dropped; a missing one is an issue, except `expiresAt`. */
export const parseCreation = (input: unknown): Result<Creation, InvalidRequest> => parse(creation, input);
