import { setImmediate, setTimeout } from "node:timers/promises";
import {
  type AccountId,
  Alias,
  type BlockedSender,
  Contact,
  type ContactId,
  compareIds,
  EmailAddress,
  err,
  LoggedMessage,
  MAX_WEBHOOKS,
  ok,
  Recipient,
  type RecipientId,
  Sender,
  type Store,
  type Webhook,
} from "@postern/core";
import {
  AliasFilter,
  type AliasKey,
  Announcement,
  attachments,
  type LedgerEntry,
  type LedgerKey,
  Meeting,
  type Page,
  type PageRequest,
  type Resend,
  Tallies,
  type TurnState,
  type WebhookKey,
} from "@postern/core/store";
import { inTime } from "./intercepted.ts";

/** When a webhook is due, until when somebody has its turn, and how its last turn ended. */
type Turns = WebhookKey & {
  readonly dueAt: number | null;
  readonly until: number;
  readonly state: TurnState;
};

type Owned = { readonly account: string; readonly id: string };

const keyOf = ({ account, id }: Owned): string => JSON.stringify([account, id]);

const pageOf = <T, Id extends string>(
  all: readonly T[],
  idOf: (item: T) => Id,
  { limit, after }: PageRequest<Id>,
): Page<T, Id> => {
  const rest = all
    .filter((item) => after === null || compareIds(idOf(item), after) < 0)
    .sort((a, b) => compareIds(idOf(b), idOf(a)));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return structuredClone({ items, next: rest.length > limit && last !== undefined ? idOf(last) : null });
};

const isReached = (limit: number, count: number): boolean => limit > 0 && count >= limit;

/**
 * Prepares to read a fact; the function returned reads it when the write happens, or returns what was read too early.
 */
type Fact = <T>(name: FactName, read: () => T) => () => T;

const limitRaces = (things: string, ...ways: readonly string[]): readonly string[] => [
  `two creations race for the last place among ${things}: exactly one succeeds`,
  ...ways.map(
    (way) =>
      `many creations race with ${way} some of the ${things}: the account gets as many as its limit allows, and no more`,
  ),
];

const attachmentRace = (
  attaching: "creating" | "saving" | "restoring",
  leaving: "deactivating" | "removing",
): string => `${attaching} an alias with a recipient races with ${leaving} it: at most one succeeds`;

/** The checks that must notice if a fact is read too early. */
const NOTICED_BY = {
  "id in aliases.create": ["creating two aliases with the same id at once: exactly one succeeds"],
  "address in aliases.create": [
    "creating two aliases with the same address at once: exactly one succeeds",
    "creating an alias races with retiring its address: exactly one succeeds",
  ],
  "count in aliases.create": limitRaces("aliases", "erasing"),
  "eligibility in aliases.create": [
    attachmentRace("creating", "deactivating"),
    attachmentRace("creating", "removing"),
  ],
  "counts in aliases.create": [
    "a recipient attached to two aliases at once is counted once for each success",
  ],
  "version in aliases.save": ["two saves of an alias from the same version race: exactly one succeeds"],
  "eligibility in aliases.save": [
    attachmentRace("saving", "deactivating"),
    attachmentRace("saving", "removing"),
  ],
  "eligibility in a restoring aliases.save": [
    attachmentRace("restoring", "deactivating"),
    attachmentRace("restoring", "removing"),
  ],
  "counts in aliases.save": [
    "a recipient attached to two aliases at once is counted once for each success",
    "a recipient detached from one alias while it is attached to another is counted correctly",
  ],
  "tallies in aliases.save": [
    "an event reported while its alias is saved is counted, and the save is not lost",
  ],
  "version in aliases.erase": [
    "saving an alias races with erasing it: exactly one succeeds",
    "two erasures of an alias race: exactly one succeeds",
  ],
  "alias in aliases.recordOutcome": [
    "an event reported while its alias is erased does not bring the alias back",
  ],
  "event in aliases.recordOutcome": ["an event reported twice at once is counted once"],
  "tallies in aliases.recordOutcome": ["two events reported at once are both counted"],
  "settings in aliases.recordOutcome": [
    "an event reported while its alias is saved is counted, and the save is not lost",
  ],
  "alias in aliases.retireAddress": [
    "creating an alias races with retiring its address: exactly one succeeds",
  ],
  "id in recipients.create": ["creating two recipients with the same id at once: exactly one succeeds"],
  "address in recipients.create": [
    "creating two recipients with the same address at once: exactly one succeeds",
  ],
  "count in recipients.create": limitRaces("recipients", "removing"),
  "unverified ones in recipients.create": limitRaces("unverified recipients", "verifying", "removing"),
  "version in recipients.save": [
    "two saves of a recipient from the same version race: exactly one succeeds",
    "saving a recipient races with removing it: exactly one succeeds",
  ],
  "attachment in recipients.save": [
    attachmentRace("creating", "deactivating"),
    attachmentRace("saving", "deactivating"),
    attachmentRace("restoring", "deactivating"),
  ],
  "count in recipients.save": ["a recipient saved while it is attached loses neither the save nor the count"],
  "version in recipients.remove": ["saving a recipient races with removing it: exactly one succeeds"],
  "attachment in recipients.remove": [
    attachmentRace("creating", "removing"),
    attachmentRace("saving", "removing"),
    attachmentRace("restoring", "removing"),
  ],
  "alias in contacts.meet": ["meeting an address races with erasing its alias: no contact is left"],
  "contacts in contacts.meet": [
    "an address met twice at once is one contact",
    "a contact met in two ways at once has both times, and keeps what is saved in the meantime",
  ],
  "version in contacts.save": ["two saves of a contact from the same version race: exactly one succeeds"],
  "contact in contacts.save": [
    "a contact met in two ways at once has both times, and keeps what is saved in the meantime",
  ],
  "alias in contacts.create": ["creating a contact races with erasing its alias: no contact is left"],
  "contacts in contacts.create": [
    "two contacts with the same address are created at once: exactly one succeeds",
  ],
  "sender in blockedSenders.block": ["a sender that is blocked twice at once is blocked once"],
  "revision in messageLog.save": [
    "two revisions of a logged message race: the later one is stored",
    "a new message is logged twice at once: it is there once",
  ],
  "alias in messageLog.save": ["logging a message races with erasing its alias: nothing is found"],
  "time in resends.request": ["two requests to send a message again race: the later one stays"],
  "time in resends.finish": ["finishing a request races with making it again: the later request stays"],
  "id in webhooks.create": ["creating two webhooks with the same id at once: exactly one succeeds"],
  "count in webhooks.create": ["two creations race for the last place of a webhook: exactly one succeeds"],
  "others in webhooks.create": [
    "creating a webhook races with removing another one: both take effect",
    "saving a webhook races with creating another one: both take effect",
  ],
  "version in webhooks.save": [
    "two saves of a webhook at once: exactly one succeeds",
    "saving a webhook races with removing it: it is gone",
  ],
  "others in webhooks.save": ["saving a webhook races with creating another one: both take effect"],
  "others in webhooks.remove": ["creating a webhook races with removing another one: both take effect"],
  "others in outbox.announce": [
    "an announcement races with the removal of others: it stays",
    "two announcements to a webhook at once: both stay, and it is due",
  ],
  "due time in outbox.announce": ["an announcement races with the end of a turn: the webhook is due again"],
  "others in outbox.remove": ["an announcement races with the removal of others: it stays"],
  "due time in outbox.begin": [
    "a turn that ends with a rest races with the beginning of the next one: the webhook rests",
  ],
  "turn in outbox.begin": ["two servers begin the turn of a webhook at once: exactly one gets it"],
  "state in outbox.begin": [
    "the end of a turn races with the beginning of the next one: the next one begins where the first one ended",
  ],
  "turn in outbox.end": [
    "the end of a turn that is over races with another server getting it: nobody else gets it then",
  ],
  "announcements in outbox.end": ["an announcement races with the end of a turn: the webhook is due again"],
  "version in mailLedger.save": [
    "two new entries of the mail ledger with the same key race: exactly one is stored",
    "two saves of the same version of an entry race: exactly one succeeds",
    "two saves that have an entry in common race: exactly one is stored, completely",
    "many saves with common entries race: those that succeed have none in common and are stored completely",
  ],
  "time in suspensions.suspend": [
    "two suspensions of an account race: it is suspended since the earlier time",
    "suspending an account again races with resuming it: one takes effect after the other",
  ],
} satisfies Record<string, readonly string[]>;

type FactName = keyof typeof NOTICED_BY;

/** Every fact that a write depends on. */
export const FACTS = Object.entries(NOTICED_BY).map(([fact, noticedBy]) => ({ fact, noticedBy }));

type Pause = () => Promise<void>;

/** Every write waits for `latency`. One that reads too early then waits for `lead`, reads, and waits for `gap`. */
type Pace = { readonly latency?: Pause; readonly lead?: Pause; readonly gap: Pause };

const microtasks =
  (count: number): Pause =>
  async () => {
    for (let i = 0; i < count; i += 1) await Promise.resolve();
  };

const turns =
  (count: () => number): Pause =>
  async () => {
    for (let left = count(); left > 0; left -= 1) await setImmediate();
  };

const milliseconds =
  (count: number): Pause =>
  () =>
    setTimeout(count);

/** Delays as in a store inside this process. */
export const PACES: Record<string, Pace> = {
  "one microtask": { gap: microtasks(1) },
  "three microtasks": { gap: microtasks(3) },
  "1 turn": { gap: turns(() => 1) },
  "2 turns": { gap: turns(() => 2) },
  "3 turns": { gap: turns(() => 3) },
  "4 turns": { gap: turns(() => 4) },
  "5 turns": { gap: turns(() => 5) },
  "1 to 5 turns": { gap: turns(() => 1 + Math.floor(Math.random() * 5)) },
  "1 turn, after 3": { latency: turns(() => 3), gap: turns(() => 1) },
  "2 turns, after 5": { latency: turns(() => 5), gap: turns(() => 2) },
  "1 turn, after 7 others": { lead: turns(() => 7), gap: turns(() => 1) },
};

/** Delays as in a store across a network: some milliseconds each. */
export const NETWORK_PACES: Record<string, Pace> = {
  "a round trip, after others": { latency: milliseconds(2), lead: milliseconds(12), gap: milliseconds(6) },
  "a round trip, after another": { latency: milliseconds(3), gap: milliseconds(3) },
};

/**
 * A store in which each write reads the facts it depends on and writes in one step, except that it reads the fact
 * `early` beforehand, like a SELECT before the transaction. Without `early` it is correct.
 */
export const hastyStore = (early?: string, { latency, lead, gap }: Pace = { gap: microtasks(1) }): Store => {
  const aliases = new Map<string, Alias>();
  const recipients = new Map<string, Recipient>();
  const retired = new Set<EmailAddress>();
  const events = new Set<string>();
  const contacts = new Map<ContactId, Contact>();
  const blockedSenders = new Map<string, BlockedSender>();
  const messages = new Map<string, LoggedMessage>();
  const resends = new Map<string, Resend>();
  const webhooks = new Map<AccountId, readonly Webhook[]>();
  const announced = new Map<string, readonly Announcement[]>();
  const allTurns = new Map<string, Turns>();
  const entries = new Map<LedgerKey, LedgerEntry>();
  const suspended = new Map<AccountId, number>();

  const write = async <R>(prepare: (fact: Fact) => () => R): Promise<R> => {
    if (latency !== undefined) await latency();
    let hasty = false;
    const decide = prepare((name, read) => {
      hasty ||= name === early;
      return read;
    });
    if (!hasty) return decide();
    if (lead !== undefined) await lead();
    const decideTooLate = prepare((name, read) => {
      if (name !== early) return read;
      const value = read();
      return () => value;
    });
    await gap();
    return decideTooLate();
  };

  const atAddress = (email: EmailAddress): Alias | null =>
    [...aliases.values()].find((alias) => EmailAddress.key(alias.email) === EmailAddress.key(email)) ?? null;

  const recipientsIn = (account: string): readonly Recipient[] =>
    [...recipients.values()].filter((recipient) => recipient.account === account);

  const eligible = (account: string, ids: readonly RecipientId[]): boolean =>
    ids.every((id) => {
      const recipient = recipients.get(keyOf({ account, id }));
      return recipient !== undefined && Recipient.ineligibility(recipient) === null;
    });

  const pick = (account: string, ids: readonly RecipientId[]): readonly Recipient[] =>
    [...new Set(ids)].flatMap((id) => structuredClone(recipients.get(keyOf({ account, id })) ?? []));

  const contactsOf = ({ account, id }: AliasKey): readonly Contact[] =>
    [...contacts.values()].filter((contact) => contact.account === account && contact.alias === id);

  const resendKey = ({ spool, account, alias, message }: Resend): string =>
    JSON.stringify([spool, account, alias, message]);
  const messageKey = ({ account, id }: AliasKey, position: string): string =>
    JSON.stringify([account, id, position]);

  const logOf = ({ account, id }: AliasKey): readonly LoggedMessage[] =>
    [...messages.values()].filter((message) => message.account === account && message.alias === id);

  const blockedIn = (account: string): readonly BlockedSender[] =>
    [...blockedSenders.values()].filter((blocked) => blocked.account === account);

  const webhooksOf = (account: AccountId): readonly Webhook[] => webhooks.get(account) ?? [];

  const announcedTo = (webhook: WebhookKey): readonly Announcement[] => announced.get(keyOf(webhook)) ?? [];

  const turnsOf = ({ account, id }: WebhookKey): Turns =>
    allTurns.get(keyOf({ account, id })) ?? {
      account,
      id,
      dueAt: null,
      until: 0,
      state: { failures: 0, failingSince: null, after: null },
    };

  const countsOf = (account: string, ids: readonly RecipientId[]): ReadonlyMap<string, number> =>
    new Map(ids.map((id) => [id, recipients.get(keyOf({ account, id }))?.attached ?? 0]));

  /** Sets new counts, based on the counts that were read. */
  const count = (
    account: string,
    counts: ReadonlyMap<string, number>,
    { attached, detached }: ReturnType<typeof attachments>,
  ): void => {
    const set = (id: RecipientId, by: 1 | -1) => {
      const recipient = recipients.get(keyOf({ account, id }));
      if (recipient === undefined) return;
      recipients.set(keyOf(recipient), { ...recipient, attached: (counts.get(id) ?? 0) + by });
    };
    for (const id of attached) set(id, 1);
    for (const id of detached) set(id, -1);
  };

  return inTime({
    aliases: {
      findWithRecipients: async (account, id, ids) =>
        ok({
          alias: structuredClone(aliases.get(keyOf({ account, id })) ?? null),
          recipients: pick(account, ids),
        }),

      findByEmail: async (email) => ok(structuredClone(atAddress(email))),

      list: async (account, page, filter) => {
        const own = [...aliases.values()].filter((alias) => alias.account === account);
        const matching = own.filter((alias) => AliasFilter.matches(alias, filter));
        return ok(pageOf(matching, ({ id }) => id, page));
      },

      create: (alias, limits) =>
        write((fact) => {
          const { account, email } = alias;
          const change = attachments(null, alias);
          const changed = [...change.attached, ...change.detached];
          const idTaken = fact("id in aliases.create", () => aliases.has(keyOf(alias)));
          const addressTaken = fact(
            "address in aliases.create",
            () => atAddress(email) !== null || retired.has(EmailAddress.key(email)),
          );
          const existing = fact(
            "count in aliases.create",
            () => [...aliases.values()].filter((other) => other.account === account).length,
          );
          const areEligible = fact("eligibility in aliases.create", () => eligible(account, change.attached));
          const counts = fact("counts in aliases.create", () => countsOf(account, changed));
          return () => {
            if (idTaken()) return err({ code: "conflict" });
            if (addressTaken()) return err({ code: "address_taken" });
            if (isReached(limits.aliases, existing())) {
              return err({ code: "too_many_aliases", limit: limits.aliases });
            }
            if (!areEligible()) return err({ code: "conflict" });
            count(account, counts(), change);
            aliases.set(keyOf(alias), structuredClone(alias));
            return ok();
          };
        }),

      save: (before, after) =>
        write((fact) => {
          const { account } = before;
          const key = keyOf(before);
          const change = attachments(before, after);
          const changed = [...change.attached, ...change.detached];
          const restoring = before.deletedAt !== null && after.deletedAt === null;
          const version = fact("version in aliases.save", () => aliases.get(key)?.version);
          const areEligible = fact(
            restoring ? "eligibility in a restoring aliases.save" : "eligibility in aliases.save",
            () => eligible(account, change.attached),
          );
          const counts = fact("counts in aliases.save", () => countsOf(account, changed));
          const tallies = fact("tallies in aliases.save", () => aliases.get(key)?.tallies ?? Tallies.none);
          return () => {
            const stored = aliases.get(key);
            if (stored === undefined || version() !== before.version || !areEligible()) {
              return err({ code: "conflict" });
            }
            count(account, counts(), change);
            const { id, email, createdAt } = stored;
            const settings = structuredClone(after);
            aliases.set(key, { ...settings, id, account, email, createdAt, tallies: tallies() });
            return ok();
          };
        }),

      recordOutcome: (reference, event) =>
        write((fact) => {
          const find = () =>
            "email" in reference ? atAddress(reference.email) : aliases.get(keyOf(reference));
          const alias = fact("alias in aliases.recordOutcome", () => find() ?? null);
          const eventKey = () => JSON.stringify([alias()?.account, alias()?.id, event.id]);
          const known = fact("event in aliases.recordOutcome", () => events.has(eventKey()));
          const tallies = fact("tallies in aliases.recordOutcome", () => find()?.tallies ?? Tallies.none);
          const settings = fact("settings in aliases.recordOutcome", () => find() ?? null);
          return () => {
            const counted = alias();
            if (counted === null) return err({ code: "alias_not_found" });
            if (known()) return ok("duplicate");
            events.add(eventKey());
            const added = Tallies.add(tallies(), event.outcome, event.at);
            aliases.set(keyOf(counted), { ...(settings() ?? counted), tallies: added });
            return ok("recorded");
          };
        }),

      erase: (alias) =>
        write((fact) => {
          const key = keyOf(alias);
          const version = fact("version in aliases.erase", () => aliases.get(key)?.version);
          return () => {
            const stored = aliases.get(key);
            if (version() !== alias.version) return err({ code: "conflict" });
            const detached = stored === undefined ? [] : Alias.attachedRecipients(stored);
            count(alias.account, countsOf(alias.account, detached), { attached: [], detached });
            aliases.delete(key);
            retired.add(EmailAddress.key(alias.email));
            for (const each of contactsOf(alias)) contacts.delete(each.id);
            for (const each of logOf(alias)) messages.delete(messageKey(alias, LoggedMessage.position(each)));
            for (const each of events) if (each.startsWith(key.slice(0, -1))) events.delete(each);
            return ok();
          };
        }),

      retireAddress: (email) =>
        write((fact) => {
          const alias = fact("alias in aliases.retireAddress", () => atAddress(email));
          return () => {
            if (alias() !== null) return err({ code: "address_taken" });
            retired.add(EmailAddress.key(email));
            return ok();
          };
        }),

      isRetired: async (email) => ok(retired.has(EmailAddress.key(email))),

      listRetiredAddresses: async (page) => ok(pageOf([...retired], (email) => email, page)),
    },

    recipients: {
      find: async (account, id) => ok(pick(account, [id])[0] ?? null),

      findAll: async (account, ids) => ok(pick(account, ids)),

      list: async (account, page) => ok(pageOf(recipientsIn(account), ({ id }) => id, page)),

      create: (recipient, limits) =>
        write((fact) => {
          const { account } = recipient;
          const email = EmailAddress.key(recipient.email);
          const idTaken = fact("id in recipients.create", () => recipients.has(keyOf(recipient)));
          const addressTaken = fact("address in recipients.create", () =>
            recipientsIn(account).some((other) => EmailAddress.key(other.email) === email),
          );
          const existing = fact("count in recipients.create", () => recipientsIn(account).length);
          const unverified = fact(
            "unverified ones in recipients.create",
            () => recipientsIn(account).filter(({ verifiedAt }) => verifiedAt === null).length,
          );
          return () => {
            if (idTaken()) return err({ code: "conflict" });
            if (addressTaken()) return err({ code: "address_taken" });
            if (isReached(limits.recipients, existing())) {
              return err({ code: "too_many_recipients", limit: limits.recipients });
            }
            if (recipient.verifiedAt === null && isReached(limits.unverifiedRecipients, unverified())) {
              return err({ code: "too_many_unverified_recipients", limit: limits.unverifiedRecipients });
            }
            recipients.set(keyOf(recipient), { ...structuredClone(recipient), attached: 0 });
            return ok();
          };
        }),

      save: (before, after) =>
        write((fact) => {
          const key = keyOf(before);
          const version = fact("version in recipients.save", () => recipients.get(key)?.version);
          const attached = fact("attachment in recipients.save", () => recipients.get(key)?.attached ?? 0);
          const count = fact("count in recipients.save", () => recipients.get(key)?.attached ?? 0);
          return () => {
            if (version() !== before.version) return err({ code: "conflict" });
            if (attached() > 0 && Recipient.ineligibility(after) !== null) return err({ code: "conflict" });
            const { id, account, email, createdAt } = recipients.get(key) ?? before;
            const settings = structuredClone(after);
            recipients.set(key, { ...settings, id, account, email, createdAt, attached: count() });
            return ok();
          };
        }),

      remove: (recipient) =>
        write((fact) => {
          const key = keyOf(recipient);
          const version = fact("version in recipients.remove", () => recipients.get(key)?.version);
          const attached = fact("attachment in recipients.remove", () => recipients.get(key)?.attached ?? 0);
          return () => {
            if (version() !== recipient.version || attached() > 0) return err({ code: "conflict" });
            recipients.delete(key);
            return ok();
          };
        }),
    },

    contacts: {
      meet: (alias, encounters, { contacts: limit }) =>
        write((fact) => {
          const exists = fact("alias in contacts.meet", () => aliases.has(keyOf(alias)));
          const stored = fact("contacts in contacts.meet", () => contactsOf(alias));
          return () => {
            if (!exists()) return err({ code: "alias_not_found" });
            const { fresh, known, noted } = Meeting.compare(Meeting.of(alias, encounters), stored());
            const free = fresh.filter(({ id }) => !contacts.has(id));
            const excess = limit === 0 || free.length === 0 ? 0 : stored().length + free.length - limit;
            const others = stored().filter(({ id }) => !known.some((contact) => contact.id === id));
            const leaving = Contact.toEvict(others, excess);
            const added = free.slice(0, Math.max(0, free.length - Math.max(0, excess - leaving.length)));
            for (const { id } of leaving) contacts.delete(id);
            for (const contact of [...noted, ...added]) contacts.set(contact.id, contact);
            return ok(structuredClone(Meeting.result(encounters, [...known, ...added])));
          };
        }),

      find: async (id) => ok(structuredClone(contacts.get(id) ?? null)),

      list: async (alias, page) => ok(pageOf(contactsOf(alias), Contact.position, page)),

      listOfAccount: async (account, page) => {
        const own = [...contacts.values()].filter((contact) => contact.account === account);
        return ok(pageOf(own, ({ id }): string => id, page));
      },

      save: (before, { blocking, version }) =>
        write((fact) => {
          const current = fact("version in contacts.save", () => contacts.get(before.id)?.version);
          const contact = fact("contact in contacts.save", () => contacts.get(before.id));
          return () => {
            const stored = contact();
            if (stored === undefined || current() !== before.version) return err({ code: "conflict" });
            contacts.set(before.id, { ...stored, blocking, version });
            return ok();
          };
        }),

      create: (contact) =>
        write((fact) => {
          const alias = { account: contact.account, id: contact.alias };
          const email = EmailAddress.key(contact.email);
          const exists = fact("alias in contacts.create", () => aliases.has(keyOf(alias)));
          const isTaken = fact("contacts in contacts.create", () =>
            contactsOf(alias).some((other) => EmailAddress.key(other.email) === email),
          );
          return () => {
            if (!exists()) return err({ code: "alias_not_found" });
            if (contacts.has(contact.id)) return err({ code: "conflict" });
            if (isTaken()) return err({ code: "address_taken" });
            contacts.set(contact.id, structuredClone(contact));
            return ok();
          };
        }),
    },

    blockedSenders: {
      block: (blocked, { blockedSenders: limit }) =>
        write((fact) => {
          const own = () => blockedIn(blocked.account);
          const stored = fact("sender in blockedSenders.block", () =>
            own().find(({ sender }) => Sender.key(sender) === Sender.key(blocked.sender)),
          );
          return () => {
            const same = stored();
            if (same !== undefined) return ok({ blocked: structuredClone(same), isNew: false });
            if (blockedSenders.has(keyOf(blocked))) return err({ code: "conflict" });
            if (isReached(limit, own().length)) return err({ code: "too_many_blocked_senders", limit });
            blockedSenders.set(keyOf(blocked), structuredClone(blocked));
            return ok({ blocked: structuredClone(blocked), isNew: true });
          };
        }),

      unblock: (account, id) =>
        write(() => () => {
          blockedSenders.delete(keyOf({ account, id }));
          return ok();
        }),

      isBlocked: async (account, email) => {
        const keys = Sender.keysOf(email);
        return ok(blockedIn(account).some(({ sender }) => keys.includes(Sender.key(sender))));
      },

      list: async (account, page) => ok(pageOf(blockedIn(account), ({ id }) => id, page)),
    },

    messageLog: {
      save: (message) =>
        write((fact) => {
          const alias = { account: message.account, id: message.alias };
          const key = messageKey(alias, LoggedMessage.position(message));
          const exists = fact("alias in messageLog.save", () => aliases.has(keyOf(alias)));
          const revision = fact("revision in messageLog.save", () => messages.get(key)?.revision ?? 0);
          return () => {
            if (exists() && revision() < message.revision) messages.set(key, structuredClone(message));
            return ok();
          };
        }),

      find: async (alias, position) => ok(structuredClone(messages.get(messageKey(alias, position)) ?? null)),

      list: async (alias, page) => ok(pageOf(logOf(alias), LoggedMessage.position, page)),
    },

    resends: {
      request: (resend) =>
        write((fact) => {
          const at = fact("time in resends.request", () => resends.get(resendKey(resend))?.at ?? 0);
          return () => {
            if (at() < resend.at) resends.set(resendKey(resend), structuredClone(resend));
            return ok();
          };
        }),

      list: async (spool, limit) =>
        ok(structuredClone([...resends.values()].filter((resend) => resend.spool === spool).slice(0, limit))),

      finish: (resend) =>
        write((fact) => {
          const at = fact("time in resends.finish", () => resends.get(resendKey(resend))?.at);
          return () => {
            if (at() === resend.at) resends.delete(resendKey(resend));
            return ok();
          };
        }),
    },

    webhooks: {
      create: (webhook) =>
        write((fact) => {
          const { account, id } = webhook;
          const idTaken = fact("id in webhooks.create", () =>
            webhooksOf(account).some((each) => each.id === id),
          );
          const count = fact("count in webhooks.create", () => webhooksOf(account).length);
          const others = fact("others in webhooks.create", () => webhooksOf(account));
          return () => {
            if (idTaken()) return err({ code: "conflict" });
            if (count() >= MAX_WEBHOOKS) return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
            webhooks.set(account, [...others(), structuredClone(webhook)]);
            return ok();
          };
        }),

      list: async (account) => ok(structuredClone(webhooksOf(account))),

      save: (before, after) =>
        write((fact) => {
          const { account, id } = before;
          const find = () => webhooksOf(account).find((each) => each.id === id);
          const version = fact("version in webhooks.save", () => find()?.version);
          const others = fact("others in webhooks.save", () =>
            webhooksOf(account).filter((each) => each.id !== id),
          );
          return () => {
            if (version() !== before.version) return err({ code: "conflict" });
            const { secret, createdAt } = find() ?? before;
            const saved = { ...structuredClone(after), id, account, secret, createdAt };
            webhooks.set(account, [...others(), saved]);
            return ok();
          };
        }),

      remove: (account, id) =>
        write((fact) => {
          const others = fact("others in webhooks.remove", () =>
            webhooksOf(account).filter((each) => each.id !== id),
          );
          return () => {
            webhooks.set(account, others());
            return ok();
          };
        }),
    },

    outbox: {
      announce: (announcements) =>
        write((fact) => {
          const places = announcements.map(({ account, webhook }) => ({ account, id: webhook }));
          const others = fact(
            "others in outbox.announce",
            () => new Map(places.map((place) => [keyOf(place), announcedTo(place)])),
          );
          const isDue = fact(
            "due time in outbox.announce",
            () => new Set(places.filter((place) => turnsOf(place).dueAt !== null).map(keyOf)),
          );
          return () => {
            const [before, due] = [others(), isDue()];
            for (const announcement of structuredClone(announcements)) {
              const place = { account: announcement.account, id: announcement.webhook };
              const position = Announcement.position(announcement);
              const kept = before.get(keyOf(place)) ?? [];
              const all = [...kept.filter((each) => Announcement.position(each) !== position), announcement];
              before.set(keyOf(place), all);
              announced.set(keyOf(place), all);
              if (!due.has(keyOf(place)))
                allTurns.set(keyOf(place), { ...turnsOf(place), dueAt: announcement.at });
              due.add(keyOf(place));
            }
            return ok();
          };
        }),

      list: async (webhook, page) => ok(pageOf(announcedTo(webhook), Announcement.position, page)),

      remove: (announcements) =>
        write((fact) => {
          const [{ account, webhook: id }] = announcements;
          const positions = announcements.map(Announcement.position);
          const others = fact("others in outbox.remove", () =>
            announcedTo({ account, id }).filter((each) => !positions.includes(Announcement.position(each))),
          );
          return () => {
            announced.set(keyOf({ account, id }), others());
            return ok();
          };
        }),

      begin: ({ now, until, limit }) =>
        write((fact) => {
          const due = fact("due time in outbox.begin", () =>
            [...allTurns]
              .flatMap(([key, { dueAt }]) => (dueAt !== null && dueAt <= now ? [{ key, dueAt }] : []))
              .sort((a, b) => a.dueAt - b.dueAt),
          );
          const isFree = fact(
            "turn in outbox.begin",
            () => new Set([...allTurns].filter(([, turn]) => turn.until <= now).map(([key]) => key)),
          );
          const states = fact(
            "state in outbox.begin",
            () => new Map([...allTurns].map(([key, { state }]) => [key, state])),
          );
          return () => {
            const begun = due()
              .filter(({ key }) => isFree().has(key))
              .slice(0, limit)
              .flatMap(({ key }) => {
                const stored = allTurns.get(key);
                const state = states().get(key);
                if (stored === undefined || state === undefined) return [];
                allTurns.set(key, { ...stored, until });
                return [{ account: stored.account, id: stored.id, ...state, until }];
              });
            return ok(begun);
          };
        }),

      end: ({ account, id, until }, { dueAt, failures, failingSince, after }) =>
        write((fact) => {
          const place = { account, id };
          const isOwn = fact("turn in outbox.end", () => turnsOf(place).until === until);
          const isLeft = fact("announcements in outbox.end", () => announcedTo(place).length > 0);
          return () => {
            if (!isOwn()) return ok();
            const state = { failures, failingSince, after };
            allTurns.set(keyOf(place), { ...place, dueAt: isLeft() ? dueAt : null, until: 0, state });
            return ok();
          };
        }),
    },

    mailLedger: {
      find: async (keys) => ok(structuredClone([...new Set(keys)].flatMap((key) => entries.get(key) ?? []))),

      save: (changed) =>
        write((fact) => {
          const agree = fact("version in mailLedger.save", () =>
            changed.every(({ key, version }) => (entries.get(key)?.version ?? 0) === version - 1),
          );
          return () => {
            if (!agree()) return err({ code: "conflict" });
            for (const entry of structuredClone(changed)) entries.set(entry.key, entry);
            return ok();
          };
        }),

      list: async (page) => ok(pageOf([...entries.values()], ({ key }) => key, page)),
    },

    suspensions: {
      find: async (account) => ok(suspended.get(account) ?? null),

      suspend: (account, at) =>
        write((fact) => {
          const since = fact("time in suspensions.suspend", () => suspended.get(account) ?? at);
          return () => {
            suspended.set(account, Math.min(at, since()));
            return ok();
          };
        }),

      resume: (account) =>
        write(() => () => {
          suspended.delete(account);
          return ok();
        }),
    },

    accounts: async (page) => {
      const owners = [
        ...aliases.values(),
        ...recipients.values(),
        ...blockedSenders.values(),
        ...[...webhooks.values()].flat(),
      ].map(({ account }) => account);
      return ok(pageOf([...new Set([...owners, ...suspended.keys()])], (account) => account, page));
    },

    ping: async () => ok(),
  });
};
