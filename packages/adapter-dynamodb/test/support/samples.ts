import {
  Alias,
  type ApiKey,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Webhook,
} from "@postern/core";
import {
  type Announcement,
  type LedgerEntry,
  parseApiKey,
  parseLedgerKey,
  parseWebhook,
  type WebhookKey,
} from "@postern/core/store";
import { valueOf } from "@postern/core/testing";

/** DynamoDB Local deletes items that have expired by the clock of the machine. */
export const NOW = Date.now();
export const ACCOUNT = valueOf(parseAccountId("account"));

/** A recipient that can be attached. Its id and address are derived from `name`. */
export const recipient = (name: string): Recipient => ({
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId(name)),
      account: ACCOUNT,
      email: valueOf(parseEmailAddress(`${name}@mail.example`)),
      nonce: "nonce",
    },
    NOW,
  ),
  verifiedAt: NOW,
});

/** The same, but not verified. */
export const unverified = (name: string): Recipient => ({ ...recipient(name), verifiedAt: null });

/** The recipient after it has been verified. */
export const verified = (before: Recipient): Recipient => ({
  ...before,
  verifiedAt: NOW,
  version: before.version + 1,
});

export const alias = (name: string, recipients: readonly Recipient[]): Alias =>
  valueOf(
    Alias.create(
      {
        id: valueOf(parseAliasId(name)),
        account: ACCOUNT,
        email: valueOf(parseEmailAddress(`${name}@alias.example`)),
        description: "a shop",
      },
      valueOf(parseRecipientIds(recipients.map(({ id }) => id))),
      recipients,
      NOW,
    ),
  );

/** A new webhook. Its id is that character repeated 26 times. */
export const webhook = (character: string, account: string = ACCOUNT): Webhook =>
  valueOf(
    parseWebhook({
      id: character.repeat(26),
      account,
      url: "https://service.example/webhooks",
      events: ["alias.created", "alias.updated", "alias.deleted", "message.failed"],
      secret: `whsec_${"a".repeat(42)}A=`,
      off: null,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    }),
  );

/** A new API key. Its id is that character repeated 26 times, and its hash likewise. */
export const apiKey = (character: string, account: string = ACCOUNT): ApiKey =>
  valueOf(
    parseApiKey({
      id: character.repeat(26),
      account,
      hash: character.repeat(43),
      name: "Password manager",
      scopes: ["aliases:create", "aliases:read"],
      aliasDomain: null,
      recipientIds: ["home", "work"],
      expiresAt: null,
      createdAt: NOW,
      lastUse: null,
    }),
  );

/** An announcement of this version of the alias `shop`. */
export const announcement = ({ account, id }: WebhookKey, version = 1, at = NOW): Announcement => ({
  account,
  webhook: id,
  alias: valueOf(parseAliasId("shop")),
  message: null,
  version,
  at,
});

/** A new entry with one message. It expires in a month. */
export const entry = (name: string): LedgerEntry => ({
  key: valueOf(parseLedgerKey(name.padEnd(43, "_"))),
  chargedAt: [NOW],
  suppressedAt: null,
  expiresAt: NOW + 30 * 24 * 60 * 60 * 1000,
  version: 1,
});
