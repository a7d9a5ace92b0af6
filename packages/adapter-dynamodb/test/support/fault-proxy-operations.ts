import {
  Alias,
  type AlreadyCreated,
  type Conflict,
  type DomainError,
  NO_LIMITS,
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
import { type LedgerEntry, parseCreation, parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { ROOM } from "../../src/remembered-events.ts";
import { Key } from "../../src/table.ts";

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

const newEntry = (name: string): LedgerEntry => ({
  key: valueOf(parseLedgerKey(`${name}-0123456789abcdef`)),
  chargedAt: [NOW],
  suppressedAt: null,
  expiresAt: NOW + 24 * 60 * 60 * 1000,
  version: 1,
});

/** The same alias or recipient in another account. */
const elsewhere = <T extends Alias | Recipient>(name: string, thing: T): T => ({
  ...thing,
  account: valueOf(parseAccountId(name)),
  email: valueOf(parseEmailAddress(`${name}-${thing.email}`)),
});

const [one, two, three, four, idle] = [
  newRecipient("one"),
  newRecipient("two"),
  newRecipient("three"),
  newRecipient("four"),
  newRecipient("idle"),
];
const open = { ...newRecipient("open"), verifiedAt: null };
const verified = Recipient.verify(open, NOW + 1);
const shop = newAlias("shop", [one, two]);
const news = newAlias("news", [one]);
const [charged, changing] = [newEntry("charged"), newEntry("changing")];

/** An account with one alias, one with one recipient and nothing else, and one from before anything was counted. */
const single = { recipient: elsewhere("single", one), alias: elsewhere("single", news) };
const lone = elsewhere("lone", open);
const old = { recipient: elsewhere("old", one), open: elsewhere("old", open), alias: elsewhere("old", news) };
/** That the alias was created with the idempotency key. */
const creationOf = ({ account, id, createdAt: at }: Alias, key: string) =>
  valueOf(parseCreation({ account, key: key.repeat(8), fingerprint: key.repeat(9), kind: "alias", id, at }));
const past = newAlias("past", [one]);
const replaced = valueOf(
  Alias.replaceRecipients(shop, idsOf([three, two, four]), [two, three, four], NOW + 1),
);
const asleep = valueOf(Recipient.deactivate(idle, NOW + 1));
const event = { id: valueOf(parseEventId("event")), outcome: "bounced", at: NOW } as const;

/** With these, there is no room left where `event` is counted, and the last one has an item of its own. */
const others = Array.from({ length: 16 * ROOM }, (_, n) => valueOf(parseEventId(`other-${n}`)))
  .filter((id) => Key.same(Key.tallyOf(account, news.id, id), Key.tallyOf(account, news.id, event.id)))
  .slice(0, ROOM + 1);

/**
 * The alias `shop` forwards to `one` and `two`, and has one event counted; `news` has many. The address of `past` is retired. The other
 * accounts are those above.
 */
export const fill = async ({ aliases, recipients, mailLedger }: Store): Promise<void> => {
  for (const each of [one, two, three, four, idle, open, single.recipient, lone, old.recipient, old.open]) {
    valueOf(await recipients.create(each, NO_LIMITS));
  }
  for (const each of [shop, news, single.alias, old.alias]) {
    const creation = each === shop ? creationOf(each, "used") : undefined;
    valueOf(await aliases.create(each, NO_LIMITS, creation));
  }
  valueOf(await aliases.retireAddress(past.email));
  valueOf(await aliases.recordOutcome(shop, { ...event, id: valueOf(parseEventId("earlier")) }));
  for (const id of others) valueOf(await aliases.recordOutcome(news, { ...event, id }));
  valueOf(await mailLedger.save([charged, changing]));
};

/** The account whose counts are deleted after `fill`, so that it looks like one that was never counted. */
export const OLD_ACCOUNT = old.alias.account;

export type Operation = (store: Store) => Promise<Result<unknown, AlreadyCreated | Conflict | DomainError>>;

/** Each succeeds and changes something when there is no fault. */
export const writes = {
  "create an alias": ({ aliases }) => aliases.create(newAlias("new", [one, three]), NO_LIMITS),
  "create an alias once": ({ aliases }) => {
    const alias = newAlias("new", [one, three]);
    return aliases.create(alias, NO_LIMITS, creationOf(alias, "new-"));
  },
  "replace the recipients of an alias": ({ aliases }) => aliases.save(shop, replaced),
  "delete an alias": ({ aliases }) => aliases.save(shop, Alias.delete(shop, NOW + 1)),
  "count an event": ({ aliases }) => aliases.recordOutcome(shop, event),
  "count an event by address": ({ aliases }) => aliases.recordOutcome({ email: shop.email }, event),
  "count an event for which there is no room": ({ aliases }) => aliases.recordOutcome(news, event),
  "erase an alias": ({ aliases }) => aliases.erase(shop),
  "retire an address": ({ aliases }) => aliases.retireAddress(newAlias("new", [one]).email),
  "create a recipient": ({ recipients }) => recipients.create(newRecipient("new"), NO_LIMITS),
  "create an alias within the limit": ({ aliases }) => aliases.create(newAlias("new", [one]), { aliases: 3 }),
  "create a recipient within the limits": ({ recipients }) =>
    recipients.create(
      { ...newRecipient("new"), verifiedAt: null },
      { recipients: 7, unverifiedRecipients: 2 },
    ),
  "verify a recipient": ({ recipients }) => recipients.save(open, verified),
  "save entries of the ledger": ({ mailLedger }) =>
    mailLedger.save([{ ...changing, suppressedAt: NOW, expiresAt: null, version: 2 }, newEntry("new")]),
  "deactivate a recipient": ({ recipients }) => recipients.save(idle, asleep),
  "remove a recipient": ({ recipients }) => recipients.remove(idle),
} satisfies Record<string, Operation>;

/** Each makes its change in a second transaction, because the first one is correctly refused. */
export const writesAfterRefusal = {
  "count an event that arrives late": ({ aliases }) => aliases.recordOutcome(shop, { ...event, at: NOW - 1 }),
  "create the first recipient of an account": ({ recipients }) =>
    recipients.create(elsewhere("new", one), { recipients: 1, unverifiedRecipients: 1 }),
  "erase the last alias": ({ aliases }) => aliases.erase(single.alias),
  "remove the last recipient": ({ recipients }) => recipients.remove(lone),
  "create an alias in an account that was never counted": ({ aliases }) =>
    aliases.create(elsewhere("old", newAlias("new", [one])), { aliases: 2 }),
  "create one there without a limit": ({ aliases }) =>
    aliases.create(elsewhere("old", newAlias("new", [one])), NO_LIMITS),
  "erase one there": ({ aliases }) => aliases.erase(old.alias),
  "verify a recipient there": ({ recipients }) => recipients.save(old.open, elsewhere("old", verified)),
} satisfies Record<string, Operation>;

/** Each is refused by a condition, and changes nothing. */
export const refusals = {
  "create an alias with a taken address": ({ aliases }) =>
    aliases.create({ ...newAlias("new", [one]), email: shop.email }, NO_LIMITS),
  "create an alias again": ({ aliases }) => {
    const alias = newAlias("new", [one]);
    return aliases.create(alias, NO_LIMITS, creationOf(alias, "used"));
  },
  "replace recipients from a stale version": ({ aliases }) => aliases.save({ ...shop, version: 9 }, replaced),
  "create an alias with a retired address": ({ aliases }) => aliases.create(past, NO_LIMITS),
  "erase from a stale version": ({ aliases }) => aliases.erase({ ...shop, version: 9 }),
  "retire the address of an alias": ({ aliases }) => aliases.retireAddress(shop.email),
  "count an event again": ({ aliases }) =>
    aliases.recordOutcome(shop, { ...event, id: valueOf(parseEventId("earlier")) }),
  "count an event again for which there was no room": ({ aliases }) =>
    aliases.recordOutcome(news, { ...event, id: others.at(-1) ?? event.id }),
  "count an event of an unknown alias": ({ aliases }) =>
    aliases.recordOutcome({ account, id: valueOf(parseAliasId("unknown")) }, event),
  "create a recipient with a taken address": ({ recipients }) =>
    recipients.create({ ...newRecipient("new"), email: one.email }, NO_LIMITS),
  "create an alias beyond the limit": ({ aliases }) => aliases.create(newAlias("new", [one]), { aliases: 2 }),
  "create one in an account that was never counted": ({ aliases }) =>
    aliases.create(elsewhere("old", newAlias("new", [one])), { aliases: 1 }),
  "create a recipient beyond the limit": ({ recipients }) =>
    recipients.create(newRecipient("new"), { recipients: 6, unverifiedRecipients: 0 }),
  "create an unverified recipient beyond the limit": ({ recipients }) =>
    recipients.create(
      { ...newRecipient("new"), verifiedAt: null },
      { recipients: 0, unverifiedRecipients: 1 },
    ),
  "save an entry of the ledger from a stale version": ({ mailLedger }) =>
    mailLedger.save([newEntry("new"), { ...charged, version: 3 }]),
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
  "find entries of the ledger": ({ mailLedger }) =>
    mailLedger.find([charged.key, newEntry("unknown").key, changing.key]),
  "list the ledger": ({ mailLedger }) => mailLedger.list({ limit: 10, after: null }),
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
