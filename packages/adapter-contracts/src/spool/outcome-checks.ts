import { parseCopyId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { Copy } from "@postern/mail";
import { expectEqual } from "../expect.ts";
import { type SpoolWorld, spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DAY,
  DEFERRED,
  forward,
  isSame,
  keepMailing,
  NOTICE,
  NOW,
  newNotice,
  octets,
  POSTMASTER,
  REFUSED,
  RELAY_DOWN,
  readBody,
  receive,
  reply,
  settlement,
  verification,
} from "./spool-samples.ts";

const OWNER = account(0);

const uncountedIds = async ({ spool }: SpoolWorld): Promise<string[]> =>
  valueOf(await spool.uncounted(1_000)).map(({ event }) => event.id);

const takeAll = async ({ spool }: SpoolWorld) => valueOf(await spool.take(NOW, 100, [])).copies;

const stateOf = async ({ spool }: SpoolWorld, { id }: Pick<Copy, "id">) =>
  valueOf(await spool.find(id))?.copy.state;

export const outcomeChecks = [
  spoolCheck(
    "a final copy stays as it is, and its outcome is counted once, even by concurrent callers",
    async (world) => {
      const { spool } = world;
      await keepMailing(spool, [forward(OWNER)]);
      const [due] = await takeAll(world);
      if (due === undefined) throw new Error("a copy that is due was not handed out");
      const sent = settlement(due, ACCEPTED);
      await Promise.all([1, 2, 3].map(async () => valueOf(await spool.settle(due.copy.id, sent, null))));
      valueOf(await spool.settle(due.copy.id, settlement(due, REFUSED, NOW + 1), null));
      expectEqual(valueOf(await spool.find(due.copy.id))?.copy, Copy.settle(due.copy, sent));
      const { purpose } = due.copy;
      if (purpose.kind !== "forward") throw new Error("the purpose changed");
      expectEqual(valueOf(await spool.uncounted(10)), [{ alias: purpose.alias, event: sent.outcomes[0] }]);
      expectEqual(await takeAll(world), []);
    },
  ),

  spoolCheck(
    "an outcome counts once, whether it comes from the relay, from reports, or from both at the same time",
    async (world) => {
      const { spool } = world;
      const { copies } = await keepMailing(spool, [forward(OWNER), forward(OWNER, "alias", 1)]);
      const [one, other] = await takeAll(world);
      if (one === undefined || other === undefined)
        throw new Error("copies that are due were not handed out");
      const reports = await Promise.all([
        spool.report(one.copy.id, "bounced", NOW, null, null),
        spool.settle(one.copy.id, settlement(one, REFUSED), null),
        spool.report(one.copy.id, "bounced", NOW + 1, null, null),
      ]);
      expectEqual(
        reports.map((result) => result.isOk()),
        [true, true, true],
      );
      valueOf(await spool.settle(other.copy.id, settlement(other, ACCEPTED), null));
      expectEqual(valueOf(await spool.report(other.copy.id, "sent", NOW, null, null)), "duplicate");
      expectEqual(valueOf(await spool.report(other.copy.id, "delivered", NOW, null, null)), "recorded");
      expectEqual(valueOf(await spool.report(other.copy.id, "delivered", NOW, null, null)), "duplicate");
      expectEqual(await stateOf(world, other.copy), "sent");
      expectEqual(valueOf(await spool.report(other.copy.id, "bounced", NOW, null, null)), "recorded");
      expectEqual(await stateOf(world, other.copy), "failed");
      expectEqual(valueOf(await spool.report(other.copy.id, "complaint", NOW, null, null)), "recorded");
      expectEqual(
        (await uncountedIds(world)).sort(),
        [
          `${one.copy.id}:bounced`,
          ...["sent", "delivered", "bounced", "complaint"].map((outcome) => `${other.copy.id}:${outcome}`),
        ].sort(),
      );
      expectEqual(copies.length, 2);
      const unknown = valueOf(parseCopyId("b".repeat(26)));
      expectEqual(valueOf(await spool.report(unknown, "bounced", NOW, null, null)), "unknown");
    },
  ),

  spoolCheck(
    "outcomes of copies without an alias are remembered, but there is nothing to count them for",
    async (world) => {
      const { spool } = world;
      const { copies } = await keepMailing(spool, [POSTMASTER, NOTICE]);
      for (const due of await takeAll(world)) {
        valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
      }
      for (const { id } of copies) {
        expectEqual(valueOf(await spool.report(id, "bounced", NOW, null, null)), "recorded");
        expectEqual(valueOf(await spool.report(id, "bounced", NOW, null, null)), "duplicate");
      }
      expectEqual(await uncountedIds(world), []);
      expectEqual(valueOf(await spool.size()).uncounted, 0);
    },
  ),

  spoolCheck(
    "outcomes of verification messages come with the link they are about, and whether they expired",
    async (world) => {
      const { spool } = world;
      const purpose = verification(OWNER);
      const kept = [];
      for (let n = 0; n < 3; n += 1) kept.push((await keepMailing(spool, [purpose])).copies[0].id);
      const [sent, refused, expired] = kept.map((id) => ({ id }));
      if (sent === undefined || refused === undefined || expired === undefined)
        throw new Error("unreachable");
      const expected = [];
      for (const due of await takeAll(world)) {
        const { id } = due.copy;
        expectEqual(due.copy.purpose, purpose);
        const answer = id === sent.id ? ACCEPTED : id === refused.id ? REFUSED : DEFERRED;
        const settled = settlement(due, answer, NOW + DAY);
        expectEqual(settled.outcomes.length, 1);
        valueOf(await spool.settle(id, settled, null));
        expected.push({ verification: purpose, expired: id === expired.id, event: settled.outcomes[0] });
      }
      expectEqual(valueOf(await spool.uncounted(10)), expected);
      expectEqual(valueOf(await spool.size()).uncounted, 3);
      valueOf(await spool.counted(expected.flatMap(({ event }) => event?.id ?? [])));
      expectEqual(valueOf(await spool.report(sent.id, "bounced", NOW, null, null)), "recorded");
      expectEqual(valueOf(await spool.uncounted(10)), [
        { verification: purpose, expired: false, event: Copy.outcome(sent.id, "bounced", NOW) },
      ]);
    },
  ),

  spoolCheck("a reply is counted when it is sent, and no other outcome of it is", async (world) => {
    const { spool } = world;
    await keepMailing(spool, [reply(OWNER), reply(OWNER)]);
    const [sent, refused] = await takeAll(world);
    if (sent === undefined || refused === undefined)
      throw new Error("copies that are due were not handed out");
    valueOf(await spool.settle(refused.copy.id, settlement(refused, REFUSED), null));
    valueOf(await spool.settle(sent.copy.id, settlement(sent, ACCEPTED), null));
    for (const outcome of ["delivered", "complaint", "bounced"] as const) {
      expectEqual(valueOf(await spool.report(sent.copy.id, outcome, NOW, null, null)), "recorded");
    }
    expectEqual(valueOf(await spool.uncounted(10)), [
      { alias: reply(OWNER).alias, event: Copy.outcome(sent.copy.id, "replied", NOW) },
    ]);
  }),

  spoolCheck("each reply that fails has a notice, whatever becomes of others", async (world) => {
    const { spool } = world;
    await keepMailing(spool, [reply(OWNER), reply(OWNER), reply(OWNER)]);
    const [one, other, third] = await takeAll(world);
    if (one === undefined || other === undefined || third === undefined)
      throw new Error("copies that are due were not handed out");
    const notices = [newNotice(), newNotice()];
    valueOf(await spool.settle(one.copy.id, settlement(one, REFUSED), notices[0] ?? null));
    valueOf(await spool.settle(other.copy.id, settlement(other, ACCEPTED), null));
    valueOf(await spool.report(other.copy.id, "bounced", NOW, null, notices[1] ?? null));
    valueOf(await spool.settle(third.copy.id, settlement(third, ACCEPTED), null));
    expectEqual(
      (await takeAll(world)).map(({ copy }) => copy.id).sort(),
      notices.map(({ copies }) => copies[0].id).sort(),
    );
  }),

  spoolCheck(
    "outcomes are listed in the order in which they were stored, until they have been counted",
    async (world) => {
      const { spool } = world;
      const kept = [await keepMailing(spool), await keepMailing(spool), await keepMailing(spool)];
      // In descending order of time: what counts is when the spool learned of them.
      for (const [n, { copies }] of kept.entries()) {
        valueOf(await spool.report(copies[0].id, "complaint", NOW - n, null, null));
      }
      const expected = kept.map(({ copies }) => `${copies[0].id}:complaint`);
      expectEqual(await uncountedIds(world), expected);
      const [first, ...others] = valueOf(await spool.uncounted(2));
      if (first === undefined) throw new Error("there are outcomes to be counted");
      expectEqual(others.length, 1);
      valueOf(await spool.counted([first.event.id]));
      valueOf(await spool.counted([first.event.id]));
      valueOf(await spool.counted([]));
      expectEqual(await uncountedIds(world), expected.slice(1));
      expectEqual(valueOf(await spool.size()).uncounted, 2);
      const [{ copies } = { copies: [] }] = kept;
      for (const { id } of copies)
        expectEqual(valueOf(await spool.report(id, "complaint", NOW, null, null)), "duplicate");
      expectEqual(await uncountedIds(world), expected.slice(1));
    },
  ),

  spoolCheck(
    "a notice is kept when the last copy for an alias has failed, once, and not otherwise",
    async (world) => {
      const { spool } = world;
      await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1), forward(OWNER, "bb", 0)]);
      const taken = await takeAll(world);
      const [one, other] = taken.filter(
        ({ copy: { purpose } }) => purpose.kind === "forward" && purpose.alias.id === "a",
      );
      const third = taken.find((due) => due !== one && due !== other);
      if (one === undefined || other === undefined || third === undefined)
        throw new Error("not all were handed out");

      const early = newNotice();
      valueOf(await spool.settle(one.copy.id, settlement(one, REFUSED), early));
      expectEqual(await stateOf(world, early.copies[0]), undefined);

      // The last one was sent: it fails only because of a report.
      const sent = newNotice();
      valueOf(await spool.settle(other.copy.id, settlement(other, ACCEPTED), sent));
      expectEqual(await stateOf(world, sent.copies[0]), undefined);
      const complaint = newNotice();
      valueOf(await spool.report(other.copy.id, "complaint", NOW, null, complaint));
      expectEqual(await stateOf(world, complaint.copies[0]), undefined);
      const notice = newNotice();
      expectEqual(valueOf(await spool.report(other.copy.id, "bounced", NOW, null, notice)), "recorded");
      expectEqual(await stateOf(world, notice.copies[0]), "queued");

      const again = newNotice();
      expectEqual(valueOf(await spool.report(other.copy.id, "bounced", NOW, null, again)), "duplicate");
      const late = newNotice();
      valueOf(await spool.settle(one.copy.id, settlement(one, REFUSED), late));
      // An operator tries again: the sender has already been told.
      valueOf(await spool.retry(one.copy.id, NOW));
      const second = newNotice();
      valueOf(await spool.settle(one.copy.id, settlement(one, REFUSED), second));
      expectEqual(await stateOf(world, second.copies[0]), undefined);

      const forThird = newNotice();
      valueOf(await spool.settle(third.copy.id, settlement(third, REFUSED), forThird));
      expectEqual(await stateOf(world, forThird.copies[0]), "queued");
      const due = await takeAll(world);
      expectEqual(due.map(({ copy }) => copy.id).sort(), [notice.copies[0].id, forThird.copies[0].id].sort());
    },
  ),

  spoolCheck(
    "a notice is kept even if copies for the alias were given up, unless all of them were",
    async (world) => {
      const { spool } = world;
      for (const [fates, isKept] of [
        [["failed", "dropped"], true],
        [["dropped", "failed"], true],
        [["dropped", "dropped"], false],
        [["sent", "dropped"], false],
      ] as const) {
        await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1)]);
        const notices = [newNotice(), newNotice()] as const;
        for (const [n, due] of (await takeAll(world)).entries()) {
          const answer = fates[n] === "failed" ? REFUSED : ACCEPTED;
          const settled = { ...settlement(due, answer), state: fates[n] ?? "dropped" };
          valueOf(await spool.settle(due.copy.id, settled, notices[n] ?? null));
        }
        const kept = await takeAll(world);
        expectEqual(
          kept.map(({ copy }) => copy.id),
          isKept ? [notices[1].copies[0].id] : [],
        );
        for (const due of kept) valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
      }
      const { copies } = await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1)]);
      valueOf(await spool.drop(copies[0].id, NOW));
      const [due] = await takeAll(world);
      if (due === undefined) throw new Error("a copy that is due was not handed out");
      const notice = newNotice();
      valueOf(await spool.settle(due.copy.id, settlement(due, REFUSED), notice));
      expectEqual(await stateOf(world, notice.copies[0]), "queued");
    },
  ),

  spoolCheck(
    "a copy that bounces again after it was sent again has failed, counts once, and can bring about the notice",
    async (world) => {
      const { spool } = world;
      await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1)]);
      const [one, other] = await takeAll(world);
      if (one === undefined || other === undefined)
        throw new Error("copies that are due were not handed out");
      valueOf(await spool.settle(one.copy.id, settlement(one, REFUSED), null));
      valueOf(await spool.retry(one.copy.id, NOW));
      valueOf(await spool.settle(other.copy.id, settlement(other, REFUSED), null));
      const [again] = await takeAll(world);
      if (again === undefined) throw new Error("a copy that is due was not handed out");
      valueOf(await spool.settle(one.copy.id, settlement(again, ACCEPTED), null));
      const notice = newNotice();
      const reported = await spool.report(one.copy.id, "bounced", NOW + 9, "mailbox_full", notice);
      expectEqual(valueOf(reported), "duplicate");
      const found = valueOf(await spool.find(one.copy.id))?.copy;
      expectEqual([found?.state, found?.since, found?.reason], ["failed", NOW + 9, "mailbox_full"]);
      expectEqual(await stateOf(world, notice.copies[0]), "queued");
      const ids = [`${one.copy.id}:bounced`, `${one.copy.id}:sent`, `${other.copy.id}:bounced`];
      expectEqual((await uncountedIds(world)).sort(), ids.sort());
    },
  ),

  spoolCheck(
    "a copy that the relay accepted and that bounced has failed, whichever becomes known first, and both count once",
    async (world) => {
      const { spool } = world;
      const orders: readonly (readonly ("accepted" | "bounced")[])[] = [
        ["accepted", "bounced"],
        ["bounced", "accepted"],
        ["bounced", "accepted", "bounced", "accepted"],
      ];
      for (const order of orders) {
        for (const atOnce of [false, true]) {
          await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1)]);
          const [one, other] = await takeAll(world);
          if (one === undefined || other === undefined)
            throw new Error("copies that are due were not handed out");
          valueOf(await spool.settle(other.copy.id, settlement(other, REFUSED), null));
          const { id } = one.copy;
          const sent = settlement(one, ACCEPTED);
          const notices = order.map(() => newNotice());
          const steps = order.map((each, n) => async () => {
            const notice = notices[n] ?? null;
            if (each === "accepted") valueOf(await spool.settle(id, sent, null));
            else valueOf(await spool.report(id, "bounced", NOW + 9, "mailbox_full", notice));
          });
          if (atOnce) await Promise.all(steps.map((step) => step()));
          else for (const step of steps) await step();

          const found = valueOf(await spool.find(id))?.copy;
          expectEqual([found?.state, found?.since, found?.reason], ["failed", NOW + 9, "mailbox_full"]);
          const kept = await takeAll(world);
          expectEqual(
            kept.map(({ copy }) => copy.purpose.kind),
            ["notice"],
          );
          const ids = [`${other.copy.id}:bounced`, `${id}:bounced`, `${id}:sent`];
          expectEqual((await uncountedIds(world)).sort(), ids.sort());
          valueOf(await spool.counted(valueOf(await spool.uncounted(10)).map(({ event }) => event.id)));
          for (const due of kept) valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
        }
      }
    },
  ),

  spoolCheck(
    "a copy that arrived before it was settled was sent, and both count once, even if its attempt is settled later",
    async (world) => {
      const { spool } = world;
      const { copies } = await keepMailing(spool, [forward(OWNER), reply(OWNER), POSTMASTER]);
      const [one, other] = copies;
      if (other === undefined) throw new Error("unreachable");
      const taken = await takeAll(world);
      for (const { id } of copies)
        expectEqual(valueOf(await spool.report(id, "delivered", NOW, null, null)), "recorded");
      const expected = [`${one.id}:sent`, `${one.id}:delivered`, `${other.id}:replied`].sort();
      expectEqual((await uncountedIds(world)).sort(), expected);
      for (const due of taken) valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
      expectEqual((await uncountedIds(world)).sort(), expected);
      for (const copy of copies) expectEqual(await stateOf(world, copy), "sent");
    },
  ),

  spoolCheck(
    "a copy that bounced before it was settled can be sent again, and fails only if it bounces again",
    async (world) => {
      const { spool } = world;
      const { copies } = await keepMailing(spool, [forward(OWNER)]);
      const { id } = copies[0];
      const take = async () => {
        const [due, ...others] = await takeAll(world);
        expectEqual([due?.copy.id, others], [id, []]);
        return due ?? { copy: copies[0] };
      };
      const first = await take();
      valueOf(await spool.report(id, "bounced", NOW, null, null));
      expectEqual(await takeAll(world), []);
      valueOf(await spool.settle(id, settlement(first, ACCEPTED), null));
      expectEqual(valueOf(await spool.retry(id, NOW)), "queued");
      const second = await take();
      valueOf(await spool.settle(id, settlement(second, ACCEPTED), null));
      expectEqual(await stateOf(world, first.copy), "sent");

      expectEqual(valueOf(await spool.report(id, "bounced", NOW, null, null)), "duplicate");
      expectEqual(await stateOf(world, first.copy), "failed");
      expectEqual(valueOf(await spool.retry(id, NOW)), "queued");
      const third = await take();
      const notice = newNotice();
      expectEqual(valueOf(await spool.report(id, "bounced", NOW, null, notice)), "duplicate");
      valueOf(await spool.settle(id, settlement(third, ACCEPTED), null));
      expectEqual(await stateOf(world, first.copy), "failed");
      expectEqual(await stateOf(world, notice.copies[0]), "queued");
      expectEqual((await uncountedIds(world)).sort(), [`${id}:bounced`, `${id}:sent`]);
    },
  ),

  spoolCheck(
    "a copy is not handed out again during an attempt, even if it bounced or was dropped, and was queued again",
    async (world) => {
      const { spool } = world;
      const { copies } = await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1)]);
      const [one, other] = await takeAll(world);
      if (one === undefined || other === undefined)
        throw new Error("copies that are due were not handed out");
      valueOf(await spool.report(one.copy.id, "bounced", NOW, null, null));
      valueOf(await spool.drop(other.copy.id, NOW));
      for (const { id } of copies) expectEqual(valueOf(await spool.retry(id, NOW)), "queued");
      expectEqual(await takeAll(world), []);
      for (const due of [one, other])
        valueOf(await spool.settle(due.copy.id, settlement(due, RELAY_DOWN), null));
      valueOf(await spool.retry(one.copy.id, NOW));
      expectEqual(
        (await takeAll(world)).map(({ copy }) => copy.id),
        [one.copy.id],
      );
    },
  ),

  spoolCheck(
    "once a verification message has bounced, its recipient is not told that it was sent",
    async (world) => {
      const { spool } = world;
      await keepMailing(spool, [verification(OWNER)]);
      const [due] = await takeAll(world);
      if (due === undefined) throw new Error("a copy that is due was not handed out");
      valueOf(await spool.report(due.copy.id, "bounced", NOW, null, null));
      valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
      expectEqual(await uncountedIds(world), [`${due.copy.id}:bounced`]);
      expectEqual(await stateOf(world, due.copy), "failed");
    },
  ),

  spoolCheck("if copies fail at the same time, one of them brings about the notice", async (world) => {
    const { spool } = world;
    for (let round = 0; round < 5; round += 1) {
      await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1), forward(OWNER, "a", 2)]);
      const taken = await takeAll(world);
      const notices = taken.map(() => newNotice());
      await Promise.all(
        taken.map(async (due, n) =>
          valueOf(await spool.settle(due.copy.id, settlement(due, REFUSED), notices[n] ?? null)),
        ),
      );
      const kept = await takeAll(world);
      expectEqual(
        kept.map(({ copy }) => copy.purpose.kind),
        ["notice"],
      );
      for (const due of kept) valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
    }
  }),

  spoolCheck(
    "a notice is kept although the limit is reached",
    async ({ spool }) => {
      await keepMailing(spool, [forward(OWNER), reply(OWNER)], { content: octets(90_000) });
      const [one, other] = valueOf(await spool.take(NOW, 2, [])).copies;
      if (one === undefined || other === undefined)
        throw new Error("copies that are due were not handed out");
      const full = await receive(spool, octets(100_000 - valueOf(await spool.size()).bytes));
      const notices = [newNotice(octets(20_000)), newNotice(octets(20_000))] as const;
      valueOf(await spool.settle(one.copy.id, settlement(one, REFUSED), notices[0]));
      valueOf(await spool.report(other.copy.id, "bounced", NOW, null, notices[1]));
      for (const { body, copies } of notices) {
        expectEqual(valueOf(await spool.find(copies[0].id))?.copy.state, "queued");
        const taken = valueOf(await spool.take(NOW, 1, [])).copies[0];
        expectEqual(taken && isSame(await readBody(taken.body), body), true);
      }
      await full.discard();
    },
    { limit: 100_000 },
  ),
];
