import {
  Alias,
  type Conflict,
  type DomainError,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Result,
  type Store,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";

/*
 * A small store and one call of each kind. They are always the same, so that the items left by a call can be compared
 * with and without faults.
 */

/** The real time, because DynamoDB deletes expired events by its own clock. */
export const NOW = Date.now();

const account = valueOf(parseAccountId("account"));

const newRecipient = (name: string): Recipient => ({
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId(`recipient-${name}`)),
      account,
      email: valueOf(parseEmailAddress(`${name}@example.org`)),
      nonce: `nonce-${name}`,
    },
    NOW,
  ),
  verifiedAt: NOW,
});

const idsOf = (recipients: readonly Recipient[]) =>
  valueOf(parseRecipientIds(recipients.map(({ id }) => id)));

const newAlias = (name: string, recipients: readonly Recipient[]): Alias =>
  valueOf(
    Alias.create(
      {
        id: valueOf(parseAliasId(`alias-${name}`)),
        account,
        email: valueOf(parseEmailAddress(`${name}@alias.example`)),
        description: "",
      },
      idsOf(recipients),
      recipients,
      NOW,
    ),
  );

const [one, two, three, four, idle] = [
  newRecipient("one"),
  newRecipient("two"),
  newRecipient("three"),
  newRecipient("four"),
  newRecipient("idle"),
];
const shop = newAlias("shop", [one, two]);
const past = newAlias("past", [one]);
const replaced = valueOf(
  Alias.replaceRecipients(shop, idsOf([three, two, four]), [two, three, four], NOW + 1),
);
const asleep = valueOf(Recipient.deactivate(idle, NOW + 1));
const event = { id: valueOf(parseEventId("event")), outcome: "bounced", at: NOW } as const;

/** The alias `shop` forwards to `one` and `two`, and has one event counted. The address of `past` is retired. */
export const fill = async ({ aliases, recipients }: Store): Promise<void> => {
  for (const recipient of [one, two, three, four, idle]) {
    valueOf(await recipients.create(recipient));
  }
  valueOf(await aliases.create(shop));
  valueOf(await aliases.retireAddress(past.email));
  valueOf(await aliases.recordOutcome(shop, { ...event, id: valueOf(parseEventId("earlier")) }));
};

export type Operation = (store: Store) => Promise<Result<unknown, DomainError | Conflict>>;

/** Each succeeds and changes something when there is no fault. */
export const writes = {
  "create an alias": ({ aliases }) => aliases.create(newAlias("new", [one, three])),
  "replace the recipients of an alias": ({ aliases }) => aliases.save(shop, replaced),
  "delete an alias": ({ aliases }) => aliases.save(shop, Alias.delete(shop, NOW + 1)),
  "count an event": ({ aliases }) => aliases.recordOutcome(shop, event),
  "count an event by address": ({ aliases }) => aliases.recordOutcome({ email: shop.email }, event),
  "erase an alias": ({ aliases }) => aliases.erase(shop),
  "retire an address": ({ aliases }) => aliases.retireAddress(newAlias("new", [one]).email),
  "create a recipient": ({ recipients }) => recipients.create(newRecipient("new")),
  "deactivate a recipient": ({ recipients }) => recipients.save(idle, asleep),
  "remove a recipient": ({ recipients }) => recipients.remove(idle),
} satisfies Record<string, Operation>;

/** Each makes its change in a second transaction, because the first one is correctly refused. */
export const writesAfterRefusal = {
  "count an event that arrives late": ({ aliases }) => aliases.recordOutcome(shop, { ...event, at: NOW - 1 }),
} satisfies Record<string, Operation>;

/** Each is refused by a condition, and changes nothing. */
export const refusals = {
  "create an alias with a taken address": ({ aliases }) =>
    aliases.create({ ...newAlias("new", [one]), email: shop.email }),
  "replace recipients from a stale version": ({ aliases }) => aliases.save({ ...shop, version: 9 }, replaced),
  "create an alias with a retired address": ({ aliases }) => aliases.create(past),
  "erase from a stale version": ({ aliases }) => aliases.erase({ ...shop, version: 9 }),
  "retire the address of an alias": ({ aliases }) => aliases.retireAddress(shop.email),
  "count an event again": ({ aliases }) =>
    aliases.recordOutcome(shop, { ...event, id: valueOf(parseEventId("earlier")) }),
  "count an event of an unknown alias": ({ aliases }) =>
    aliases.recordOutcome({ account, id: valueOf(parseAliasId("unknown")) }, event),
  "create a recipient with a taken address": ({ recipients }) =>
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
      valueOf(parseRecipientId("unknown")),
      idle.id,
    ]),
  "find an alias by address": ({ aliases }) => aliases.findByEmail(shop.email),
  "find a retired address": ({ aliases }) => aliases.findByEmail(past.email),
  "list retired addresses": ({ aliases }) => aliases.listRetiredAddresses({ limit: 10, after: null }),
  "list accounts": ({ accounts }) => accounts({ limit: 10, after: null }),
  "find a recipient": ({ recipients }) => recipients.find(account, two.id),
  "find recipients": ({ recipients }) => recipients.findAll(account, [two.id, three.id, four.id]),
  "list aliases": ({ aliases }) => aliases.list(account, { limit: 10, after: null }, { deleted: false }),
  "list recipients": ({ recipients }) => recipients.list(account, { limit: 3, after: null }),
} satisfies Record<string, Operation>;

/** A read with a timeout of one second, which one fault may exceed. */
export const pings = {
  ping: ({ ping }) => ping(),
} satisfies Record<string, Operation>;
