import {
  AccountId,
  Alias,
  AliasId,
  type Conflict,
  type DomainError,
  EmailAddress,
  EventId,
  Recipient,
  RecipientId,
  RecipientIds,
  type Store,
} from "@postern/core";
import type { Result } from "neverthrow";

/*
 * A small store and one call of each kind on it, always the same, so that what a call leaves behind can be compared
 * item by item with what it leaves when nothing goes wrong.
 */

/** The real time, as DynamoDB goes by its own clock to sweep events that are long past. */
export const NOW = Date.now();

const account = AccountId.parse("account");

const newRecipient = (name: string): Recipient => ({
  ...Recipient.add(
    {
      id: RecipientId.parse(`recipient-${name}`),
      account,
      email: EmailAddress.parse(`${name}@example.org`),
      nonce: `nonce-${name}`,
    },
    NOW,
  ),
  verifiedAt: NOW,
});

const idsOf = (recipients: readonly Recipient[]) => RecipientIds.parse(recipients.map(({ id }) => id));

const newAlias = (name: string, recipients: readonly Recipient[]): Alias =>
  Alias.create(
    {
      id: AliasId.parse(`alias-${name}`),
      account,
      email: EmailAddress.parse(`${name}@alias.example`),
      description: "",
    },
    idsOf(recipients),
    recipients,
    NOW,
  )._unsafeUnwrap();

const [one, two, three, four, idle] = [
  newRecipient("one"),
  newRecipient("two"),
  newRecipient("three"),
  newRecipient("four"),
  newRecipient("idle"),
];
const shop = newAlias("shop", [one, two]);
const replaced = Alias.replaceRecipients(
  shop,
  idsOf([three, two, four]),
  [two, three, four],
  NOW + 1,
)._unsafeUnwrap();
const asleep = Recipient.deactivate(idle, NOW + 1)._unsafeUnwrap();
const event = { id: EventId.parse("event"), outcome: "bounced", at: NOW } as const;

/** The alias `shop` forwards to one and two, and has been told of one event. */
export const fill = async ({ aliases, recipients }: Store): Promise<void> => {
  for (const recipient of [one, two, three, four, idle]) {
    (await recipients.create(recipient))._unsafeUnwrap();
  }
  (await aliases.create(shop))._unsafeUnwrap();
  (await aliases.recordOutcome(shop, { ...event, id: EventId.parse("earlier") }))._unsafeUnwrap();
};

export type Operation = (store: Store) => Promise<Result<unknown, DomainError | Conflict>>;

/** Each makes its change when nothing goes wrong. */
export const writes = {
  "create an alias": ({ aliases }) => aliases.create(newAlias("new", [one, three])),
  "replace the recipients of an alias": ({ aliases }) => aliases.save(shop, replaced),
  "delete an alias": ({ aliases }) => aliases.save(shop, Alias.delete(shop, NOW + 1)),
  "count an event": ({ aliases }) => aliases.recordOutcome(shop, event),
  "count an event by address": ({ aliases }) => aliases.recordOutcome({ email: shop.email }, event),
  "create a recipient": ({ recipients }) => recipients.create(newRecipient("new")),
  "deactivate a recipient": ({ recipients }) => recipients.save(idle, asleep),
  "remove a recipient": ({ recipients }) => recipients.remove(idle),
} satisfies Record<string, Operation>;

/** Each makes its change in a second transaction, because the first one is refused as it should be. */
export const writesAfterRefusal = {
  "count an event that came late": ({ aliases }) => aliases.recordOutcome(shop, { ...event, at: NOW - 1 }),
} satisfies Record<string, Operation>;

/** Each is refused, by one condition or another, and changes nothing. */
export const refusals = {
  "create an alias of a taken address": ({ aliases }) =>
    aliases.create({ ...newAlias("new", [one]), email: shop.email }),
  "replace by a stale version": ({ aliases }) => aliases.save({ ...shop, version: 9 }, replaced),
  "count an event again": ({ aliases }) =>
    aliases.recordOutcome(shop, { ...event, id: EventId.parse("earlier") }),
  "count an event of nobody": ({ aliases }) =>
    aliases.recordOutcome({ account, id: AliasId.parse("nobody") }, event),
  "create a recipient of a taken address": ({ recipients }) =>
    recipients.create({ ...newRecipient("new"), email: one.email }),
  "deactivate an attached recipient": ({ recipients }) =>
    recipients.save(one, { ...one, active: false, version: 2 }),
  "remove an attached recipient": ({ recipients }) => recipients.remove(one),
} satisfies Record<string, Operation>;

export const reads = {
  "find an alias with recipients": ({ aliases }) =>
    aliases.findWithRecipients(shop.account, shop.id, [
      one.id,
      three.id,
      RecipientId.parse("nobody"),
      idle.id,
    ]),
  "find a recipient": ({ recipients }) => recipients.find(account, two.id),
  "find recipients": ({ recipients }) => recipients.findAll(account, [two.id, three.id, four.id]),
  "list aliases": ({ aliases }) => aliases.list(account, { limit: 10, after: null }, { deleted: false }),
  "list recipients": ({ recipients }) => recipients.list(account, { limit: 3, after: null }),
} satisfies Record<string, Operation>;

/** A read that has a second and no more, so that one fault may be too much for it. */
export const pings = {
  "ask whether it answers": ({ ping }) => ping(),
} satisfies Record<string, Operation>;
