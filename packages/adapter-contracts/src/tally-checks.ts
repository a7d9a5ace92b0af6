import {
  type AliasReference,
  EmailAddress,
  EventId,
  MAIL_OUTCOMES,
  type MailEvent,
  Tallies,
} from "@postern/core";
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./contract.ts";
import { findAlias, keepAlias, keepRecipient, NOW, newAccount, newAlias, withRecipients } from "./samples.ts";

const event = (id: string, outcome: MailEvent["outcome"] = "sent", at = NOW): MailEvent => ({
  id: EventId.parse(id),
  outcome,
  at,
});

/** Some events, and an order in which they are told, several times each. */
const telling = fc
  .array(fc.record({ outcome: fc.constantFrom(...MAIL_OUTCOMES), at: fc.nat(9).map((n) => NOW + n) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((events) => events.map(({ outcome, at }, i) => event(`event-${i}`, outcome, at)))
  .chain((events) =>
    fc.record({
      events: fc.constant(events),
      told: fc
        .array(fc.constantFrom(...events), { maxLength: 12 })
        .chain((more) =>
          fc.shuffledSubarray([...events, ...more], { minLength: events.length + more.length }),
        ),
    }),
  );

const counted = (events: readonly MailEvent[]): Tallies =>
  events.reduce((tallies, { outcome, at }) => Tallies.add(tallies, outcome, at), Tallies.none);

export const tallyChecks: readonly Check[] = [
  {
    name: "each event is counted once, in whatever order and however often it is told, and settings stay",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(telling, async ({ events, told }) => {
          const alias = await keepAlias(store, account, [recipient]);
          const known = new Set<string>();
          for (const each of told) {
            const recorded = await store.aliases.recordOutcome(alias, each);
            expect(recorded).toMatchObject({ value: known.has(each.id) ? "repeated" : "recorded" });
            known.add(each.id);
          }
          expect(await findAlias(store, alias)).toEqual({ ...alias, tallies: counted(events) });
        }),
        { numRuns: 25 },
      );
    },
  },
  {
    name: "events told at once, while recipients are replaced, are each counted once and no replacement is lost",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const other = await keepRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(telling, async ({ events, told }) => {
          const alias = await keepAlias(store, account, [recipient]);
          const second = withRecipients(alias, [other]);
          const third = withRecipients(second, [other, recipient]);
          const saves = async () => {
            expect(await store.aliases.save(alias, second)).toHaveProperty("value");
            expect(await store.aliases.save(second, third)).toHaveProperty("value");
          };
          const records = told.map(async (each) => {
            for (let tries = 0; tries < 20; tries += 1) {
              if ((await store.aliases.recordOutcome(alias, each)).isOk()) return;
            }
            expect.unreachable("an event could not be told");
          });
          await Promise.all([...records.slice(0, 3), saves(), ...records.slice(3)]);
          expect(await findAlias(store, alias)).toEqual({ ...third, tallies: counted(events) });
        }),
        { numRuns: 25 },
      );
    },
  },
  {
    name: "an alias is counted by its id or by its address in any case, deleted or not",
    run: async (store) => {
      const account = newAccount();
      const alias = await keepAlias(store, account, [await keepRecipient(store, account)]);
      const email = EmailAddress.parse(alias.email.toUpperCase());
      const tell = async (reference: AliasReference, id: string) =>
        (await store.aliases.recordOutcome(reference, event(id)))._unsafeUnwrap();
      expect(await tell(alias, "1")).toBe("recorded");
      expect(await tell({ email }, "1")).toBe("repeated");
      const deleted = { ...alias, deletedAt: NOW, version: 2 };
      expect(await store.aliases.save(alias, deleted)).toHaveProperty("value");
      expect(await tell({ email }, "2")).toBe("recorded");
      expect(await tell({ account, id: alias.id }, "3")).toBe("recorded");
      expect(await findAlias(store, alias)).toEqual({
        ...deleted,
        tallies: { ...Tallies.none, sent: { count: 3, lastAt: NOW } },
      });
    },
  },
  {
    name: "an event is one alias's: the same id told of another alias is another event",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const aliases = [
        await keepAlias(store, account, [recipient]),
        await keepAlias(store, account, [recipient]),
      ];
      for (const alias of aliases) {
        expect(await store.aliases.recordOutcome(alias, event("#__proto__"))).toMatchObject({
          value: "recorded",
        });
      }
      for (const alias of aliases) expect((await findAlias(store, alias))?.tallies.sent.count).toBe(1);
    },
  },
  {
    name: "an unknown alias, or another account's, is not counted",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const alias = await keepAlias(store, account, [recipient]);
      const unknown = newAlias(account, [recipient]);
      for (const reference of [
        { account: newAccount(), id: alias.id },
        { account, id: unknown.id },
        { email: unknown.email },
      ]) {
        const recorded = await store.aliases.recordOutcome(reference, event("1"));
        expect(recorded).toMatchObject({ error: { code: "alias_not_found" } });
      }
      expect(await findAlias(store, alias)).toEqual(alias);
    },
  },
];
