import { type LinkClaims, ok, parseAccountId, parseRecipientId } from "@postern/core";
import { parseLedgerKey } from "@postern/core/store";

/** The claims of a link that this service has sealed; null if they are not of that form. */
export const parseLinkClaims = (
  fields: {
    readonly [claim in keyof LinkClaims]?: unknown;
  },
): LinkClaims | null => {
  const { nonce, expiresAt } = fields;
  if (typeof nonce !== "string" || typeof expiresAt !== "number") return null;
  const mailbox = fields.mailbox === null ? ok(null) : parseLedgerKey(fields.mailbox);
  return parseAccountId(fields.account)
    .andThen((account) =>
      parseRecipientId(fields.recipientId).map((recipientId) => ({ account, recipientId })),
    )
    .andThen((ids) => mailbox.map((mailbox) => ({ ...ids, nonce, mailbox, expiresAt })))
    .unwrapOr(null);
};
