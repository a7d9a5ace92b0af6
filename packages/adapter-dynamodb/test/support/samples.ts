import { AccountId, Alias, AliasId, EmailAddress, Recipient, RecipientId, RecipientIds } from "@postern/core";

export const NOW = 1_800_000_000_000;
export const ACCOUNT = AccountId.parse("account");

/** A recipient that may be attached. Its id and its address are made from `name`. */
export const recipient = (name: string): Recipient => ({
  ...Recipient.add(
    {
      id: RecipientId.parse(name),
      account: ACCOUNT,
      email: EmailAddress.parse(`${name}@mail.example`),
      nonce: "nonce",
    },
    NOW,
  ),
  verifiedAt: NOW,
});

export const alias = (name: string, recipients: readonly Recipient[]): Alias =>
  Alias.create(
    {
      id: AliasId.parse(name),
      account: ACCOUNT,
      email: EmailAddress.parse(`${name}@alias.example`),
      description: "a shop",
    },
    RecipientIds.parse(recipients.map(({ id }) => id)),
    recipients,
    NOW,
  )._unsafeUnwrap();
