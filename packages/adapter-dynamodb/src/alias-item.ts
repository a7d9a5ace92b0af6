import { AccountId, type Alias, AliasId, EmailAddress, MAIL_OUTCOMES, RecipientId } from "@postern/core";
import { z } from "zod";
import { ItemHead } from "./database.ts";
import { Key, SCHEMA } from "./table.ts";

const Time = z.int().nonnegative();
const Destination = z.object({ recipientId: RecipientId, email: EmailAddress });
const Tally = z.object({ count: z.int().nonnegative(), lastAt: Time.nullable() });

/** An alias as it is kept: its own fields, under their own names. */
export const AliasItem = ItemHead.extend({
  id: AliasId,
  account: AccountId,
  email: EmailAddress,
  description: z.string(),
  active: z.boolean(),
  destinations: z.tuple([Destination], Destination),
  tallies: z.record(z.enum(MAIL_OUTCOMES), Tally),
  createdAt: Time,
  updatedAt: Time,
  deletedAt: Time.nullable(),
  version: z.int().positive(),
})
  // An item that got under another account's key must not be shown to it.
  .refine((item) => Key.same(item, Key.alias(item.account, item.id)))
  .transform(({ pk: _, sk: __, schema: ___, ...alias }): Alias => alias);

/** The item of a new alias. It is new to this store, but may have a past, counts included. */
export const newAliasItem = (alias: Alias) => ({
  ...alias,
  ...Key.alias(alias.account, alias.id),
  schema: SCHEMA,
});

/** Leads from an alias address to the alias. */
export const AddressItem = ItemHead.extend({ account: AccountId, id: AliasId });

export const newAddressItem = ({ account, id, email }: Alias) => ({
  ...Key.address(email),
  schema: SCHEMA,
  account,
  id,
});
