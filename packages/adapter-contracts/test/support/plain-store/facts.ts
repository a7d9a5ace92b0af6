import { setImmediate, setTimeout } from "node:timers/promises";

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
  "creation in aliases.create": [
    "two aliases with different addresses are created with the same key at once: exactly one succeeds",
    "two aliases are created at once with a key that was used 24 hours before: exactly one succeeds",
    "an alias and a webhook are created with the same key at once: exactly one succeeds",
  ],
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
  "alias in contacts.record": ["recording an address races with erasing its alias: no contact is left"],
  "contacts in contacts.record": [
    "an address recorded twice at once is one contact",
    "a contact recorded in two ways at once has both times, and keeps what is saved in the meantime",
    "a contact that is named while it writes has written",
  ],
  "version in contacts.save": ["two saves of a contact from the same version race: exactly one succeeds"],
  "contact in contacts.save": [
    "a contact recorded in two ways at once has both times, and keeps what is saved in the meantime",
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
  "time in handedReports.handOver": ["a report is handed over twice at once: the later one stays"],
  "time in handedReports.finish": [
    "finishing a report races with handing it over again: the later report stays",
  ],
  "id in webhooks.create": ["creating two webhooks with the same id at once: exactly one succeeds"],
  "count in webhooks.create": ["two creations race for the last place of a webhook: exactly one succeeds"],
  "creation in webhooks.create": [
    "two webhooks are created with the same key at once: exactly one succeeds",
    "an alias and a webhook are created with the same key at once: exactly one succeeds",
  ],
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
  "id in apiKeys.create": ["creating two API keys with the same id at once: exactly one succeeds"],
  "hash in apiKeys.create": ["two accounts create API keys with the same hash at once: exactly one succeeds"],
  "count in apiKeys.create": [
    "two creations race for the last place of an API key: exactly one succeeds",
    "many creations race with removing some of the API keys: the account gets as many as it can have, and no more",
  ],
  "others in apiKeys.create": [
    "creating an API key races with removing another one: both take effect",
    "the use of an API key races with creating another one: both take effect",
  ],
  "key in apiKeys.recordUse": ["the use of an API key races with removing it: it is gone"],
  "last use in apiKeys.recordUse": ["two uses of an API key at once: the later one is recorded"],
  "others in apiKeys.recordUse": [
    "the use of an API key races with creating another one: both take effect",
    "the uses of two API keys of an account at once: both are recorded",
  ],
  "key in apiKeys.remove": ["removing an API key twice at once makes room for exactly one"],
  "others in apiKeys.remove": ["creating an API key races with removing another one: both take effect"],
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

/** Every fact that a write depends on, with the checks that must notice if it is read too early. */
export const FACTS = Object.entries(NOTICED_BY).map(([fact, noticedBy]) => ({ fact, noticedBy }));

type Pause = () => Promise<void>;

/** Every write waits for `latency`. One that reads too early then waits for `lead`, reads, and waits for `gap`. */
export type Pace = { readonly latency?: Pause; readonly lead?: Pause; readonly gap: Pause };

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

/** Does a write: `prepare` reads the facts it depends on, and returns what decides and writes in one step. */
export type Write = <R>(prepare: (fact: Fact) => () => R) => Promise<R>;

/** Every write reads its facts when it decides, except for the fact `early`, like a SELECT before the transaction. */
export const writing =
  (early?: string, { latency, lead, gap }: Pace = { gap: microtasks(1) }): Write =>
  async (prepare) => {
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
