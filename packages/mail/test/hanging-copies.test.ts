import { setImmediate } from "node:timers/promises";
import { memorySpool } from "@postern/adapter-memory";
import { newCopyId, newMessageId, parseAccountId, parseAliasId, parseRecipientId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { Copy, type MailRelay } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCEPTED, BUSY, REFUSED } from "./support/fake-relay.ts";
import { address } from "./support/mail.ts";
import { ALIAS, useForwarding } from "./support/use-forwarding.ts";

const { world, plane, use, receive } = useForwarding();

describe("copies that the relay never answers", () => {
  test("whichever copies the relay never answers, all others end, in whatever order the answers come", async () => {
    type Fate = "accept" | "refuse" | "put off" | "hang";
    const fate = fc.oneof(
      { weight: 6, arbitrary: fc.constant<Fate>("accept") },
      { weight: 1, arbitrary: fc.constantFrom<Fate>("refuse", "put off", "hang") },
    );
    const messages = fc.array(fc.array(fate, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 12,
    });
    const isDecisive = (all: readonly (readonly Fate[])[]) => {
      const count = (fates: readonly Fate[], one: Fate) => fates.filter((each) => each === one).length;
      const [hanging, refused] = [count(all.flat(), "hang"), count(all.flat(), "refuse")];
      // More would use up the places of an account, or count as a relay that refuses everything.
      return all.every((fates) => count(fates, "hang") < 20 - hanging) && hanging + refused < 20;
    };
    const mailboxOf = (message: number, n: number) => `${message}-${n}@home.example`;
    const recipients = new Map<string, Awaited<ReturnType<typeof world.recipient>>>();
    const aliases = new Set<string>();
    /** The alias with this many recipients, of an account of its own, that one message of each run is for. */
    const aliasFor = async (message: number, count: number): Promise<string> => {
      const email = `shop-${message}-${count}@alias.example`;
      if (aliases.has(email)) return email;
      const ids = [];
      for (let n = 0; n < count; n += 1) {
        const mailbox = mailboxOf(message, n);
        const id = recipients.get(mailbox) ?? (await world.recipient(mailbox, `account-${message}`));
        recipients.set(mailbox, id);
        ids.push(id);
      }
      await world.alias(email, ids, `account-${message}`);
      aliases.add(email);
      return email;
    };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), messages.filter(isDecisive), async (scheduler, fates) => {
        const planned = new Map<string, Fate>();
        let [underWay, most] = [0, 0];
        const relay: MailRelay = {
          send: async ({ envelope }) => {
            if (envelope.from === null) return ACCEPTED;
            underWay += 1;
            most = Math.max(most, underWay);
            const how = planned.get(envelope.to) ?? expect.fail("nothing was planned");
            planned.delete(envelope.to);
            if (how === "hang") return new Promise(() => {});
            await scheduler.schedule(Promise.resolve());
            underWay -= 1;
            return { accept: ACCEPTED, refuse: REFUSED, "put off": BUSY }[how];
          },
        };
        let again = false;
        let calling = false;
        const wake = async (): Promise<void> => {
          again = true;
          if (calling) return;
          calling = true;
          while (again) {
            again = false;
            valueOf(await plane().forwardCopies());
          }
          calling = false;
        };
        use(world.plane({ relay, onCopyEnded: () => void wake() }));

        const kept: { readonly id: Awaited<ReturnType<typeof receive>>; readonly fates: readonly Fate[] }[] =
          [];
        const arrive = async (fates: readonly Fate[], n: number): Promise<void> => {
          for (const [m, fate] of fates.entries()) planned.set(mailboxOf(n, m), fate);
          kept.push({ id: await receive(await aliasFor(n, fates.length)), fates });
          await wake();
        };
        for (const [n, each] of fates.entries())
          void scheduler.schedule(Promise.resolve()).then(() => arrive(each, n));
        for (;;) {
          // Lets everything happen that follows from what was released so far.
          await setImmediate();
          if (scheduler.count() === 0) break;
          await scheduler.waitNext(1);
        }

        expect(most).toBeLessThanOrEqual(20);
        expect(kept).toHaveLength(fates.length);
        const states = { accept: "sent", refuse: "failed", "put off": "queued", hang: "queued" } as const;
        for (const { id, fates } of kept) {
          const copies = valueOf(await world.spool().findAll(id));
          for (const [m, fate] of fates.entries()) {
            const copy = copies.find(({ to }) => to.split("-")[1] === `${m}@home.example`);
            expect(copy).toMatchObject({ state: states[fate], attempts: fate === "hang" ? 0 : 1 });
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test("however many copies of up to four accounts hang, the copies of all others are sent", async () => {
    const counts = (most: number) =>
      fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 4, size: "max" });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), counts(150), counts(30), async (scheduler, hanging, others) => {
        const spool = memorySpool({ limit: 10_000_000 });
        const underWay = new Map<string, number>();
        const sent = new Set<string>();
        const relay: MailRelay = {
          send: async ({ envelope: { to } }) => {
            const [, party = ""] = /^\d+-(.*)@/.exec(to) ?? [];
            underWay.set(party, (underWay.get(party) ?? 0) + 1);
            const all = [...underWay.values()].reduce((sum, places) => sum + places, 0);
            expect(underWay.get(party)).toBeLessThanOrEqual(21 - all);
            if (party.startsWith("hanging")) return new Promise(() => {});
            await scheduler.schedule(Promise.resolve());
            underWay.set(party, (underWay.get(party) ?? 0) - 1);
            sent.add(to);
            return ACCEPTED;
          },
        };
        const hangingPlane = world.plane({ spool, relay });
        const arrive = async (party: string, n: number) => {
          const { random } = world.ports().secrets;
          const [message, now] = [newMessageId(random), world.ports().clock.now()];
          const alias = {
            account: valueOf(parseAccountId(party)),
            id: valueOf(parseAliasId("alias")),
            email: address(ALIAS),
          };
          const purpose = {
            kind: "forward",
            alias,
            recipient: valueOf(parseRecipientId(`${n}`)),
            contacts: [],
            isAnswer: false,
            tag: null,
          } as const;
          const identity = { id: newCopyId(random), message, to: address(`${n}-${party}@home.example`) };
          valueOf(
            await spool.keep({
              message: { origin: "own", id: message, createdAt: now, header: "", size: 2 },
              body: valueOf(await spool.receive((async function* () {})())),
              copies: [Copy.create({ ...identity, purpose }, now)],
            }),
          );
        };
        /** All copies of an account arrive at once, at any time. */
        const parties = [
          ...hanging.map((count, n) => [`hanging-${n}`, count] as const),
          ...others.map((count, n) => [`other-${n}`, count] as const),
        ];
        for (const [party, count] of parties) {
          void scheduler.schedule(Promise.resolve()).then(async () => {
            for (let n = 0; n < count; n += 1) await arrive(party, n);
          });
        }
        for (;;) {
          valueOf(await hangingPlane.forwardCopies());
          // Lets everything happen that follows from what was released so far.
          await setImmediate();
          if (scheduler.count() === 0) break;
          await scheduler.waitNext(1);
          await setImmediate();
        }
        expect(sent.size).toBe(others.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 30 },
    );
  });
});
