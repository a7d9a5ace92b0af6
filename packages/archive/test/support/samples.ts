import {
  Alias,
  type BlockedSender,
  Contact,
  parseAccountId,
  parseAliasId,
  parseBlockedSenderId,
  parseContactId,
  parseEmailAddress,
  parseRecipientId,
  parseSender,
  Recipient,
} from "@postern/core";
import { parseApiKey, parseLedgerKey, parseWebhook } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";

const account = valueOf(parseAccountId("account"));

const added = Recipient.add(
  {
    id: valueOf(parseRecipientId("r")),
    account,
    email: valueOf(parseEmailAddress("me@example.org")),
    nonce: "n",
  },
  1,
);
export const recipient = Recipient.verify(added, 2);

const identity = {
  id: valueOf(parseAliasId("a")),
  account,
  email: valueOf(parseEmailAddress("x@alias.example")),
  description: "",
};
export const alias = valueOf(Alias.create(identity, [recipient.id], [recipient], 3));

export const contact: Contact = {
  ...Contact.of(alias, {
    id: valueOf(parseContactId("abcdefghijklmnopqrstuvwxyz")),
    email: valueOf(parseEmailAddress("Bob@sender.example")),
    kind: "received",
    at: 4,
  }),
  blocking: "reject",
  version: 2,
};

export const blockedSender: BlockedSender = {
  id: valueOf(parseBlockedSenderId("bcdefghijklmnopqrstuvwxyza")),
  account,
  sender: valueOf(parseSender("spam.example")),
  createdAt: 5,
};

/** A webhook that is off. */
export const webhook = valueOf(
  parseWebhook({
    id: "cdefghijklmnopqrstuvwxyzab",
    account,
    url: "https://me.example/postern",
    events: ["alias.created", "message.failed"],
    secret: `whsec_${"A".repeat(43)}=`,
    off: "gone",
    createdAt: 6,
    updatedAt: 7,
    version: 2,
  }),
);

/** A key that has been used, of one recipient that is in the archive and of one that is not. */
export const apiKey = valueOf(
  parseApiKey({
    id: "defghijklmnopqrstuvwxyzabc",
    account,
    hash: "fedcba9876543210",
    name: "Password manager",
    scopes: ["aliases:create", "messages:read"],
    aliasDomain: "alias.example",
    recipientIds: ["r", "deleted"],
    expiresAt: 253_402_300_799_999,
    createdAt: 8,
    lastUse: { at: 9, by: "browser_extension" },
  }),
);

/** The entry of a suppressed mailbox. */
export const entry = {
  key: valueOf(parseLedgerKey("0123456789abcdef")),
  chargedAt: [1, 2],
  suppressedAt: 3,
  expiresAt: null,
};

export const suspension = { account, suspendedAt: 4 };
