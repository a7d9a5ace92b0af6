import {
  Alias,
  type ApiKey,
  EVENT_TYPES,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Webhook,
} from "@postern/core";
import { type Announcement, parseApiKey, parseWebhook, type WebhookKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";

export const NOW = 1_700_000_000_000;
export const ACCOUNT = valueOf(parseAccountId("account"));

/** Verified recipient number `n` of the account. */
export const recipientNumber = (n: number, account = ACCOUNT): Recipient => ({
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId(`recipient-${n}`)),
      account,
      email: valueOf(parseEmailAddress(`mailbox-${n}@example.org`)),
      nonce: `nonce-${n}`,
    },
    NOW,
  ),
  verifiedAt: NOW,
});

const idsOf = (recipients: readonly Recipient[]) =>
  valueOf(parseRecipientIds(recipients.map(({ id }) => id)));

/** Alias number `n` of the account, with these recipients. Greater numbers come first in lists. */
export const aliasNumber = (n: number, recipients: readonly Recipient[], account = ACCOUNT): Alias => {
  const id = valueOf(parseAliasId(`alias-${String(n).padStart(6, "0")}`));
  const email = valueOf(parseEmailAddress(`alias-${n}@alias.example`));
  const identity = { id, account, email, description: `Shop ${n}` };
  return valueOf(Alias.create(identity, idsOf(recipients), recipients, NOW));
};

/** The next version of the alias, with exactly these recipients, in this order. */
export const replaced = (alias: Alias, recipients: readonly Recipient[]): Alias =>
  valueOf(Alias.replaceRecipients(alias, idsOf(recipients), recipients, alias.updatedAt + 1));

/** A valid value of the column `details` of a logged message. */
export const MESSAGE_DETAILS = {
  direction: "sent",
  contact: null,
  size: 1,
  subject: null,
  blocked: null,
  copies: [],
  keptBody: null,
};

/** Webhook number `n` of the account, told of every event. */
export const webhookNumber = (n: number, account = ACCOUNT): Webhook =>
  valueOf(
    parseWebhook({
      id: "bcdefghijk".charAt(n).repeat(26),
      account,
      url: `https://service.example/webhook-${n}`,
      events: EVENT_TYPES,
      secret: `whsec_${String(n).repeat(42)}A=`,
      off: null,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    }),
  );

/** API key number `n` of the account, which has never been used. */
export const apiKeyNumber = (n: number, account = ACCOUNT): ApiKey =>
  valueOf(
    parseApiKey({
      id: String.fromCharCode(97 + n).repeat(26),
      account,
      hash: `hash-of-secret-${n}`,
      name: `Program ${n}`,
      scopes: ["aliases:create"],
      aliasDomain: null,
      recipientIds: null,
      expiresAt: null,
      createdAt: NOW,
      lastUse: null,
    }),
  );

/** Version `version` of alias number 0, announced to the webhook. */
export const announcementTo = ({ account, id }: WebhookKey, version = 1): Announcement => ({
  account,
  webhook: id,
  alias: aliasNumber(0, [recipientNumber(0)]).id,
  message: null,
  version,
  at: NOW,
});
