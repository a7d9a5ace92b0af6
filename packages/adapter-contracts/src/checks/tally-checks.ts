import { MAIL_OUTCOMES, type MailEvent, parseEventId } from "@postern/core";
import { type AliasReference, Tallies } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual, expectMatch } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  ALIAS_NOT_FOUND,
  changed,
  deleted,
  findAlias,
  NOW,
  newAccount,
  newAlias,
  saveAlias,
  storeAlias,
  storeRecipient,
  upperCase,
  withRecipients,
} from "../samples.ts";

const event = (id: string, outcome: MailEvent["outcome"] = "sent", at = NOW): MailEvent => ({
  id: valueOf(parseEventId(id)),
  outcome,
  at,
});

/** Events, and the reports of them in random order; some are reported several times. */
const reports = fc
  .array(fc.record({ outcome: fc.constantFrom(...MAIL_OUTCOMES), at: fc.nat(9).map((n) => NOW + n) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((events) => events.map(({ outcome, at }, i) => event(`event-${i}`, outcome, at)))
  .chain((events) =>
    fc.record({
      events: fc.constant(events),
      reported: fc
        .array(fc.constantFrom(...events), { maxLength: 12 })
        .chain((more) =>
          fc.shuffledSubarray([...events, ...more], { minLength: events.length + more.length }),
        ),
    }),
  );

const counted = (events: readonly MailEvent[]): Tallies =>
  events.reduce((tallies, { outcome, at }) => Tallies.add(tallies, outcome, at), Tallies.none);

const MAX_ATTEMPTS = 20;

/** More than one row or item holds without being split. */
const MANY_EVENTS = 200;
/** How many of them are reported at the same time, which takes less time on a remote store. */
const AT_ONCE = 10;

export const tallyChecks: readonly Check[] = [
  check(
    "each event is counted once, in any order and however often it is reported, without changing settings",
    async (store) => {
      const account = newAccount();
      const recipient = await storeRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(reports, async ({ events, reported }) => {
          const alias = await storeAlias(store, account, [recipient]);
          const known = new Set<string>();
          for (const each of reported) {
            const recorded = valueOf(await store.aliases.recordOutcome(alias, each));
            expectEqual(recorded, known.has(each.id) ? "duplicate" : "recorded");
            known.add(each.id);
          }
          expectEqual(await findAlias(store, alias), { ...alias, tallies: counted(events) });
        }),
        runs(25),
      );
    },
  ),

  check(
    "events reported at once while recipients are replaced are each counted once, and no replacement is lost",
    async (store) => {
      const account = newAccount();
      const recipient = await storeRecipient(store, account);
      const other = await storeRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(reports, async ({ events, reported }) => {
          const alias = await storeAlias(store, account, [recipient]);
          const second = withRecipients(alias, [other]);
          const third = withRecipients(second, [other, recipient]);
          const save = async () => {
            await saveAlias(store, alias, second);
            await saveAlias(store, second, third);
          };
          const report = async (each: MailEvent): Promise<void> => {
            for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
              if ((await store.aliases.recordOutcome(alias, each)).isOk()) return;
            }
            throw new Error(`recordOutcome failed ${MAX_ATTEMPTS} times`);
          };
          await Promise.all([...reported.slice(0, 3).map(report), save(), ...reported.slice(3).map(report)]);
          expectEqual(await findAlias(store, alias), { ...third, tallies: counted(events) });
        }),
        runs(25),
      );
    },
  ),

  check("an event is known, however many others have been counted since", async (store) => {
    const account = newAccount();
    const alias = await storeAlias(store, account, [await storeRecipient(store, account)]);
    const events = Array.from({ length: MANY_EVENTS }, (_, n) => event(`event-${n}`));
    for (const expected of ["recorded", "duplicate"]) {
      for (let start = 0; start < events.length; start += AT_ONCE) {
        const reported = events.slice(start, start + AT_ONCE);
        const recorded = await Promise.all(reported.map((each) => store.aliases.recordOutcome(alias, each)));
        expectEqual(
          recorded.map(valueOf),
          reported.map(() => expected),
        );
      }
    }
    expectEqual((await findAlias(store, alias))?.tallies, counted(events));
  }),

  check(
    "events are counted by alias id or by address in any case, and for a deleted alias",
    async (store) => {
      const account = newAccount();
      const alias = await storeAlias(store, account, [await storeRecipient(store, account)]);
      const email = upperCase(alias.email);
      const report = async (reference: AliasReference, id: string) =>
        valueOf(await store.aliases.recordOutcome(reference, event(id)));
      expectEqual(await report(alias, "1"), "recorded");
      expectEqual(await report({ email }, "1"), "duplicate");
      const after = await saveAlias(store, alias, deleted(alias));
      expectEqual(await report({ email }, "2"), "recorded");
      expectEqual(await report({ account, id: alias.id }, "3"), "recorded");
      const tallies = { ...Tallies.none, sent: { count: 3, lastAt: NOW } };
      expectEqual(await findAlias(store, alias), { ...after, tallies });
      const restored = await saveAlias(store, after, changed(after, { deletedAt: null }));
      expectEqual(await findAlias(store, alias), { ...restored, tallies });
    },
  ),

  check("events add to the tallies that an alias was created with", async (store) => {
    const account = newAccount();
    const tallies = { ...Tallies.none, sent: { count: 5, lastAt: NOW + 7 } };
    const alias = await storeAlias(store, account, [await storeRecipient(store, account)], { tallies });
    valueOf(await store.aliases.recordOutcome(alias, event("1", "sent", NOW)));
    valueOf(await store.aliases.recordOutcome(alias, event("2", "bounced", NOW)));
    expectEqual((await findAlias(store, alias))?.tallies, {
      ...Tallies.none,
      sent: { count: 6, lastAt: NOW + 7 },
      bounced: { count: 1, lastAt: NOW },
    });
  }),

  check("the same event id reported for two aliases counts for each", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const aliases = [
      await storeAlias(store, account, [recipient]),
      await storeAlias(store, account, [recipient]),
    ];
    for (const alias of aliases) {
      expectEqual(valueOf(await store.aliases.recordOutcome(alias, event("#__proto__"))), "recorded");
    }
    for (const alias of aliases) expectEqual((await findAlias(store, alias))?.tallies.sent.count, 1);
  }),

  check("recordOutcome does not find an unknown alias or another account's", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [recipient]);
    const unknown = newAlias(account, [recipient]);
    for (const reference of [
      { account: newAccount(), id: alias.id },
      { account, id: unknown.id },
      { email: unknown.email },
      { email: recipient.email },
    ]) {
      const recorded = await store.aliases.recordOutcome(reference, event("1"));
      expectMatch(recorded, ALIAS_NOT_FOUND);
    }
    expectEqual(await findAlias(store, alias), alias);
  }),
];
