import { FAILED_BODY_RETENTION } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { LONGEST_DELAY, MAIL_RETENTION, type RelayAnswer, type Taken } from "@postern/mail";
import { expectEqual, expectMatch } from "../expect.ts";
import { type SpoolWorld, spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DAY,
  DEFERRED,
  forward,
  isGone,
  keepMailing,
  NOTICE,
  NOW,
  newMailing,
  octets,
  POSTMASTER,
  REFUSED,
  readBody,
  receive,
  reply,
  settleAll,
  settlement,
  sweepAll,
  verification,
} from "./spool-samples.ts";

const takeOne = async ({ spool }: SpoolWorld, now = NOW) => {
  const [due] = valueOf(await spool.take(now, 1, [])).copies;
  if (due === undefined) throw new Error("a copy that is due was not handed out");
  return due;
};

const countAll = async ({ spool }: SpoolWorld) =>
  valueOf(await spool.counted(valueOf(await spool.uncounted(1_000)).map(({ event }) => event.id)));

export const sweepChecks = [
  spoolCheck("bodies are forgotten once no copy is queued, and not before", async (world) => {
    const { spool } = world;
    for (const size of [10, 600_000]) {
      await keepMailing(spool, [forward(account(0)), forward(account(0), "alias", 1)], {
        content: octets(size),
      });
      const [one, other] = valueOf(await spool.take(NOW, 2, [])).copies;
      if (one === undefined || other === undefined)
        throw new Error("copies that are due were not handed out");
      valueOf(await spool.settle(one.copy.id, settlement(one, ACCEPTED), null));
      await sweepAll(spool, NOW + 2 * MAIL_RETENTION);
      expectEqual((await readBody(other.body)).length, size);
      const later = settlement(other, DEFERRED);
      valueOf(await spool.settle(other.copy.id, later, null));
      await sweepAll(spool, NOW);
      const again = await takeOne(world, later.nextAt);
      expectEqual((await readBody(again.body)).length, size);
      valueOf(await spool.settle(again.copy.id, settlement(again, ACCEPTED), null));
      await sweepAll(spool, NOW);
      expectEqual(valueOf(await spool.size()).bytes, 0);
      expectEqual(valueOf(await spool.find(one.copy.id))?.copy.state, "sent");
    }
  }),

  spoolCheck(
    "the body of a message for or from an alias is kept for 7 days after the last of its copies has failed",
    async (world) => {
      const { spool } = world;
      const bytes = async () => valueOf(await spool.size()).bytes;
      for (const purpose of [forward(account(0)), reply(account(0))]) {
        const { copies } = await keepMailing(spool, [purpose, purpose, purpose], {
          content: octets(300_000),
        });
        const [sent, refused, expired] = valueOf(await spool.take(NOW, 10, [])).copies;
        if (sent === undefined || refused === undefined || expired === undefined)
          throw new Error("copies that are due were not handed out");
        const settle = async (due: typeof sent, answer: RelayAnswer, at: number) =>
          valueOf(await spool.settle(due.copy.id, settlement(due, answer, at), null));
        await settle(expired, DEFERRED, NOW + 6 * DAY);
        await settle(refused, REFUSED, NOW);
        await settle(sent, ACCEPTED, NOW + 7 * DAY);
        const end = NOW + 6 * DAY + FAILED_BODY_RETENTION;
        await sweepAll(spool, end - 1);
        expectEqual(valueOf(await spool.retry(refused.copy.id, NOW)), "queued");
        const again = await takeOne(world);
        expectEqual((await readBody(again.body)).length, 300_000);
        await settle(again, REFUSED, end);
        await sweepAll(spool, end + FAILED_BODY_RETENTION - 1);
        expectEqual((await bytes()) > 300_000, true);
        await sweepAll(spool, end + FAILED_BODY_RETENTION);
        expectEqual(await bytes(), 0);
        for (const { id } of copies) {
          const state = id === sent.copy.id ? "sent" : id === expired.copy.id ? "expired" : "failed";
          expectEqual(valueOf(await spool.retry(id, NOW)), state);
        }
      }
    },
  ),

  spoolCheck(
    "bodies of messages that belong to no alias are forgotten even if they failed",
    async ({ spool }) => {
      await keepMailing(spool, [POSTMASTER, NOTICE, verification(account(0))]);
      await settleAll(spool, REFUSED);
      await sweepAll(spool, NOW);
      expectEqual(valueOf(await spool.size()).bytes, 0);
    },
  ),

  spoolCheck("of a finished message's header, only what a notice needs is remembered", async (world) => {
    const { spool } = world;
    const mailing = newMailing(await receive(spool), [forward(account(0))]);
    const from = "From: Bob <bob@sender.example>\r\n";
    const message = { ...mailing.message, header: `${from}X-Long: ${"x".repeat(900)}\r\n`.repeat(3) };
    valueOf(await spool.keep({ ...mailing, message }));
    const [{ id }] = mailing.copies;
    await sweepAll(spool, NOW);
    expectEqual(valueOf(await spool.find(id))?.message, message);
    await settleAll(spool, ACCEPTED);
    await sweepAll(spool, NOW);
    expectEqual(valueOf(await spool.find(id))?.message, { ...message, header: from.repeat(3) });
  }),

  spoolCheck("a body that was received, but not kept yet, is not swept", async ({ spool }) => {
    for (const size of [10, 600_000]) {
      const body = await receive(spool, octets(size));
      await sweepAll(spool, NOW + 2 * MAIL_RETENTION);
      expectEqual(await isGone(body), false);
      await body.discard();
    }
  }),

  spoolCheck(
    "messages are remembered for 35 days, and until their outcomes have been counted",
    async (world) => {
      const { spool } = world;
      const { copies } = await keepMailing(spool, [forward(account(0)), forward(account(1))]);
      const [{ id }] = copies;
      await settleAll(spool, ACCEPTED);
      await sweepAll(spool, NOW + 2 * MAIL_RETENTION);
      expectEqual(valueOf(await spool.find(id))?.copy.state, "sent");
      expectEqual(valueOf(await spool.uncounted(10)).length, 2);
      await countAll(world);
      await sweepAll(spool, NOW + MAIL_RETENTION);
      expectEqual(valueOf(await spool.report(id, "delivered", NOW + MAIL_RETENTION, null, null)), "recorded");
      await sweepAll(spool, NOW + MAIL_RETENTION + 1);
      expectEqual(valueOf(await spool.find(id))?.copy.state, "sent");
      await countAll(world);
      await sweepAll(spool, NOW + MAIL_RETENTION + 1);
      for (const copy of copies) expectEqual(valueOf(await spool.find(copy.id)), null);
      expectEqual(valueOf(await spool.report(id, "bounced", NOW, null, null)), "unknown");
      expectMatch(valueOf(await spool.size()), { bytes: 0, queued: 0, oldestAt: null, uncounted: 0 });
    },
  ),

  spoolCheck("queued copies are remembered however old they are", async (world) => {
    const { spool } = world;
    const { copies } = await keepMailing(spool);
    await sweepAll(spool, NOW + 10 * MAIL_RETENTION);
    expectEqual(valueOf(await spool.find(copies[0].id))?.copy, copies[0]);
    expectEqual((await readBody((await takeOne(world)).body)).length, 10);
  }),

  spoolCheck("copies that would wait for longer than any delay are made due by sweeping", async (world) => {
    const { spool } = world;
    const ahead = [];
    for (let n = 0; n < 250; n += 1) {
      const { copies } = await keepMailing(spool, [forward(account(n % 3))], { createdAt: NOW + 2 * DAY });
      ahead.push(copies[0].id);
    }
    const others = [];
    for (const nextAt of [NOW + 1, NOW + LONGEST_DELAY]) {
      const { copies } = await keepMailing(spool, [forward(account(0))], { createdAt: nextAt });
      others.push(copies[0].id);
    }
    expectEqual(valueOf(await spool.take(NOW, 1_000, [])).copies, []);
    await sweepAll(spool, NOW);
    const idsOf = ({ copies }: Taken) => copies.map(({ copy }) => copy.id).toSorted();
    expectEqual(idsOf(valueOf(await spool.take(NOW, 1_000, []))), ahead.toSorted());
    expectEqual(valueOf(await spool.nextDue(NOW)), NOW + 1);
    expectEqual(idsOf(valueOf(await spool.take(NOW + LONGEST_DELAY, 1_000, []))), others.toSorted());
  }),

  spoolCheck(
    "sweeping reports that there is more to do until all of many messages are forgotten",
    async (world) => {
      const { spool } = world;
      for (let n = 0; n < 250; n += 1) await keepMailing(spool);
      await settleAll(spool, ACCEPTED);
      await countAll(world);
      await sweepAll(spool, NOW + MAIL_RETENTION + 1);
      expectMatch(valueOf(await spool.size()), { bytes: 0, uncounted: 0 });
      expectEqual(valueOf(await spool.sweep(NOW + MAIL_RETENTION + 1)), false);
    },
  ),
];
