import {
  Alias,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Store,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  aliasesOf,
  CREATED_AT,
  type Fixture,
  type FixtureAlias,
  type FixtureRecipient,
  recipientsOf,
} from "./fixture.ts";

const recipientOf = ({ account, id, email, verified }: FixtureRecipient): Recipient =>
  Recipient[verified ? "adopt" : "add"](
    {
      id: valueOf(parseRecipientId(id)),
      account: valueOf(parseAccountId(account)),
      email: valueOf(parseEmailAddress(email)),
      nonce: "nonce",
    },
    CREATED_AT,
  );

const aliasOf = ({ account, id, email, description, recipients }: FixtureAlias): Alias =>
  valueOf(
    Alias.create(
      {
        id: valueOf(parseAliasId(id)),
        account: valueOf(parseAccountId(account)),
        email: valueOf(parseEmailAddress(email)),
        description,
      },
      valueOf(parseRecipientIds(recipients.map((recipient) => recipient.id))),
      recipients.map(recipientOf),
      CREATED_AT,
    ),
  );

export const fillRecipients = async ({ recipients }: Store, fixture: Fixture): Promise<void> => {
  for (const each of recipientsOf(fixture)) valueOf(await recipients.create(recipientOf(each), NO_LIMITS));
};

export const fillAliases = async ({ aliases }: Store, fixture: Fixture): Promise<void> => {
  for (const each of aliasesOf(fixture)) valueOf(await aliases.create(aliasOf(each), NO_LIMITS));
};

/** Stores a fixture in a store of Postern. */
export const fillStore = async (store: Store, fixture: Fixture): Promise<void> => {
  await fillRecipients(store, fixture);
  await fillAliases(store, fixture);
};
