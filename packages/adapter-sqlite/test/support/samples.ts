import { AccountId, Alias, AliasId, EmailAddress, Recipient, RecipientId, RecipientIds } from "@postern/core";

export const NOW = 1_700_000_000_000;
export const ACCOUNT = AccountId.parse("account");

/** A verified recipient of the account, different for each `n`. */
export const recipientNumber = (n: number, account = ACCOUNT): Recipient => ({
  ...Recipient.add(
    {
      id: RecipientId.parse(`recipient-${n}`),
      account,
      email: EmailAddress.parse(`mailbox-${n}@example.org`),
      nonce: `nonce-${n}`,
    },
    NOW,
  ),
  verifiedAt: NOW,
});

const idsOf = (recipients: readonly Recipient[]) => RecipientIds.parse(recipients.map(({ id }) => id));

/** An alias of the account for those recipients, different for each `n`. Later ones come first in lists. */
export const aliasNumber = (n: number, recipients: readonly Recipient[], account = ACCOUNT): Alias => {
  const id = AliasId.parse(`alias-${String(n).padStart(6, "0")}`);
  const email = EmailAddress.parse(`alias-${n}@alias.example`);
  const identity = { id, account, email, description: `Shop ${n}` };
  return Alias.create(identity, idsOf(recipients), recipients, NOW)._unsafeUnwrap();
};

/** The alias for exactly these recipients, in this order. */
export const replaced = (alias: Alias, recipients: readonly Recipient[]): Alias =>
  Alias.replaceRecipients(alias, idsOf(recipients), recipients, alias.updatedAt + 1)._unsafeUnwrap();
