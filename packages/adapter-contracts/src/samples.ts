import {
  AccountId,
  Alias,
  type AliasFilter,
  AliasId,
  EmailAddress,
  isNonEmpty,
  Recipient,
  RecipientId,
  RecipientIds,
  type Store,
} from "@postern/core";

/*
 * Things to keep in a store. All ids and addresses are new each time, so that a check may go on in the same
 * store as often as it likes.
 */

let serial = 0;
const next = () => {
  serial += 1;
  return String(serial).padStart(8, "0");
};

export const NOW = 1_700_000_000_000;

/** What a list shows unless told. */
export const LIVE: AliasFilter = { deleted: false };

export const newAccount = (): AccountId => AccountId.parse(`account-${next()}`);

type Sample<T> = { -readonly [K in keyof T]?: T[K] };

export const newRecipient = (account: AccountId, wanted: Sample<Recipient> = {}): Recipient => ({
  ...Recipient.add(
    {
      id: RecipientId.parse(`recipient-${next()}`),
      account,
      email: EmailAddress.parse(`mailbox-${next()}@Example.org`),
      nonce: `nonce-${next()}`,
    },
    NOW,
  ),
  verifiedAt: NOW,
  ...wanted,
});

export const newAlias = (
  account: AccountId,
  recipients: readonly Recipient[],
  wanted: Sample<Alias> = {},
): Alias => {
  const identity = {
    id: AliasId.parse(`alias-${next()}`),
    account,
    email: EmailAddress.parse(`alias-${next()}@alias.example`),
    description: "Shop — news & 🙂",
  };
  const ids = RecipientIds.parse(recipients.map(({ id }) => id));
  return { ...Alias.create(identity, ids, recipients, NOW)._unsafeUnwrap(), ...wanted };
};

export const keepRecipient = async (
  store: Store,
  account: AccountId,
  wanted: Sample<Recipient> = {},
): Promise<Recipient> => {
  const recipient = newRecipient(account, wanted);
  (await store.recipients.create(recipient))._unsafeUnwrap();
  return recipient;
};

export const keepRecipients = (store: Store, account: AccountId, count: number): Promise<Recipient[]> =>
  Promise.all(Array.from({ length: count }, () => keepRecipient(store, account)));

export const keepAlias = async (
  store: Store,
  account: AccountId,
  recipients: readonly Recipient[],
): Promise<Alias> => {
  const alias = newAlias(account, recipients);
  (await store.aliases.create(alias))._unsafeUnwrap();
  return alias;
};

/** `alias` as its next version would be with exactly these recipients, whether or not they may be attached. */
export const withRecipients = (alias: Alias, recipients: readonly Recipient[]): Alias => {
  const destinations = recipients.map(({ id, email }) => ({ recipientId: id, email }));
  if (!isNonEmpty(destinations)) throw new Error("an alias has at least one recipient");
  return {
    ...alias,
    destinations,
    updatedAt: alias.updatedAt + 1,
    version: alias.version + 1,
  };
};

export const deactivated = (recipient: Recipient): Recipient => ({
  ...recipient,
  active: false,
  updatedAt: recipient.updatedAt + 1,
  version: recipient.version + 1,
});

export const findAlias = async (store: Store, { account, id }: Pick<Alias, "account" | "id">) =>
  (await store.aliases.findWithRecipients(account, id, []))._unsafeUnwrap().alias;

export const findRecipient = async (store: Store, { account, id }: Pick<Recipient, "account" | "id">) =>
  (await store.recipients.find(account, id))._unsafeUnwrap();

export const attachedTo = async (
  store: Store,
  recipients: readonly Recipient[],
): Promise<(number | undefined)[]> =>
  (await Promise.all(recipients.map((recipient) => findRecipient(store, recipient)))).map(
    (recipient) => recipient?.attached,
  );
