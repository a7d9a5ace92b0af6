import { valueOf } from "@postern/core/testing";
import { type Copy, MAIL_RETENTION } from "@postern/mail";
import { expectEqual } from "../expect.ts";
import { type SpoolWorld, spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DEFERRED,
  forward,
  keepMailing,
  logAll,
  NOTICE,
  NOW,
  POSTMASTER,
  REFUSED,
  RELAY_DOWN,
  reply,
  revisionOf,
  settleAll,
  settlement,
  sweepAll,
  verification,
} from "./spool-samples.ts";

const OWNER = account(0);

const unlogged = async ({ spool }: SpoolWorld, limit = 1_000) => valueOf(await spool.unlogged(limit));

const takeOne = async ({ spool }: SpoolWorld, now = NOW) => {
  const [due] = valueOf(await spool.take(now, 1, [])).copies;
  if (due === undefined) throw new Error("a copy that is due was not handed out");
  return due;
};

const copyOf = async ({ spool }: SpoolWorld, { id }: Pick<Copy, "id">): Promise<Copy> => {
  const found = valueOf(await spool.find(id));
  if (found === null) throw new Error("a copy is not remembered");
  return found.copy;
};

export const logChecks = [
  spoolCheck("once a message is kept, it has to be logged for each of its aliases", async (world) => {
    const [a, b, other] = [forward(OWNER, "a", 0), forward(OWNER, "bb", 0), forward(account(1), "a", 0)];
    const { message, copies } = await keepMailing(world.spool, [
      a,
      POSTMASTER,
      b,
      other,
      forward(OWNER, "a", 1),
    ]);
    const written = await keepMailing(world.spool, [reply(OWNER), reply(OWNER)]);
    await keepMailing(world.spool, [POSTMASTER, NOTICE, verification(OWNER)]);
    const [one, , second, third, fourth] = copies;
    expectEqual(await unlogged(world), [
      {
        alias: one.purpose.kind === "forward" && one.purpose.alias,
        message,
        copies: [one, fourth],
        hasBody: true,
        revision: 1,
      },
      ...[second, third].map((copy) => ({
        alias: copy?.purpose.kind === "forward" && copy.purpose.alias,
        message,
        copies: [copy],
        hasBody: true,
        revision: 1,
      })),
      {
        alias: reply(OWNER).alias,
        message: written.message,
        copies: written.copies,
        hasBody: true,
        revision: 1,
      },
    ]);
    expectEqual(valueOf(await world.spool.size()).unlogged, 4);
  }),

  spoolCheck("keeping a message again does not make it unlogged", async (world) => {
    const mailing = await keepMailing(world.spool);
    await logAll(world.spool);
    valueOf(await world.spool.keep(mailing));
    expectEqual(await unlogged(world), []);
  }),

  spoolCheck(
    "a message has to be logged again after each change that the log shows, and after no other",
    async (world) => {
      const { spool } = world;
      const { copies, message } = await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "bb", 0)]);
      const [copy] = copies;
      await logAll(world.spool);
      let revision = 1;
      /** Returns the copy to log after the change, and logs it; null if there is none. */
      const after = async (change: Promise<unknown>): Promise<Copy | null> => {
        await change;
        const [found, ...others] = await unlogged(world);
        expectEqual(others, []);
        if (found === undefined) return null;
        revision += 1;
        const stored = await copyOf(world, copy);
        expectEqual(
          { ...found, alias: found.alias.id },
          {
            alias: copy.purpose.kind === "forward" && copy.purpose.alias.id,
            message,
            copies: [stored],
            hasBody: true,
            revision,
          },
        );
        await logAll(world.spool);
        return stored;
      };
      const isChanged = async (change: Promise<unknown>) => (await after(change)) !== null;
      const settle = async (answer: typeof ACCEPTED, now: number) =>
        valueOf(
          await spool.settle(copy.id, settlement({ copy: await copyOf(world, copy) }, answer, now), null),
        );
      const report = async (outcome: Parameters<typeof spool.report>[1], now: number) =>
        valueOf(await spool.report(copy.id, outcome, now, "mailbox_full", null));

      expectEqual(await isChanged(spool.take(NOW, 10, [])), false);
      const deferred = await after(settle(DEFERRED, NOW + 1));
      expectEqual([deferred?.state, deferred?.since, deferred?.reason], ["queued", NOW, "other"]);
      expectEqual(await isChanged(settle(DEFERRED, NOW + 2)), false);
      expectEqual(await isChanged(settle(RELAY_DOWN, NOW + 3)), true);
      expectEqual(await isChanged(spool.retry(copy.id, NOW + 4)), false);
      const dropped = await after(spool.drop(copy.id, NOW + 5));
      expectEqual([dropped?.state, dropped?.since], ["dropped", NOW + 5]);
      expectEqual(await isChanged(spool.drop(copy.id, NOW + 6)), false);
      const again = await after(spool.retry(copy.id, NOW + 7));
      expectEqual([again?.state, again?.since, again?.reason], ["queued", NOW + 7, null]);
      const sent = await after(settle(ACCEPTED, NOW + 8));
      expectEqual([sent?.state, sent?.since, sent?.reason], ["sent", NOW + 8, null]);
      expectEqual(await isChanged(settle(REFUSED, NOW + 9)), false);
      const delayed = await after(spool.delay(copy.id, "mailbox_full"));
      expectEqual([delayed?.state, delayed?.since, delayed?.reason], ["sent", NOW + 8, "mailbox_full"]);
      expectEqual(await isChanged(spool.delay(copy.id, "mailbox_full")), false);
      const delivered = await after(report("delivered", NOW + 10));
      expectEqual([delivered?.state, delivered?.deliveredAt, delivered?.reason], ["sent", NOW + 10, null]);
      expectEqual(await isChanged(spool.delay(copy.id, "unreachable")), false);
      expectEqual(await isChanged(report("delivered", NOW + 11)), false);
      expectEqual(await isChanged(report("complaint", NOW + 12)), false);
      const bounced = await after(report("bounced", NOW + 13));
      expectEqual([bounced?.state, bounced?.since, bounced?.reason], ["failed", NOW + 13, "mailbox_full"]);
      expectEqual(await isChanged(report("bounced", NOW + 14)), false);
      expectEqual(await isChanged(sweepAll(spool, NOW + 15)), false);
      expectEqual(await isChanged(spool.counted([])), false);
    },
  ),

  spoolCheck(
    "messages are due for logging in the order of their changes, and stay so until their last revision is logged",
    async (world) => {
      const { spool } = world;
      const kept = [];
      for (let n = 0; n < 3; n += 1) kept.push(await keepMailing(spool));
      const ids = kept.map(({ message }) => message.id);
      const found = async (limit?: number) => (await unlogged(world, limit)).map(({ message }) => message.id);
      expectEqual(await found(), ids);
      expectEqual(await found(2), ids.slice(0, 2));
      // A change to a message that is already waiting to be logged: it keeps its place.
      const early = await unlogged(world);
      const due = await takeOne(world);
      valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
      expectEqual(await found(), ids);
      const changed = ids.indexOf(due.message.id);
      valueOf(await spool.logged(early.map(revisionOf)));
      expectEqual(await found(), [due.message.id]);
      expectEqual(valueOf(await spool.size()).unlogged, 1);
      const late = await unlogged(world);
      await settleAll(spool, ACCEPTED);
      const others = ids.filter((_, n) => n !== changed);
      expectEqual((await found()).toSorted(), ids.toSorted());
      expectEqual((await found())[0], due.message.id);
      for (let times = 0; times < 2; times += 1) {
        valueOf(await spool.logged([...late, ...early].map(revisionOf)));
        valueOf(await spool.logged([]));
        expectEqual((await found()).toSorted(), others.toSorted());
      }
      await logAll(world.spool);
      expectEqual(await found(), []);
    },
  ),

  spoolCheck("logging for one alias leaves the others unlogged", async (world) => {
    const purposes = [forward(OWNER, "a"), forward(OWNER, "bb"), forward(account(1), "a")] as const;
    const first = await keepMailing(world.spool, purposes);
    await keepMailing(world.spool, purposes);
    const all = await unlogged(world);
    const [one] = all;
    if (one === undefined) throw new Error("there are messages to be logged");
    expectEqual(one.message.id, first.message.id);
    valueOf(await world.spool.logged([revisionOf(one)]));
    expectEqual(await unlogged(world), all.slice(1));
  }),

  spoolCheck("messages are forgotten after 35 days whether or not they are logged", async (world) => {
    const { spool } = world;
    await keepMailing(spool, [forward(OWNER)]);
    await settleAll(spool, ACCEPTED);
    const outcomes = valueOf(await spool.uncounted(10));
    valueOf(await spool.counted(outcomes.map(({ event }) => event.id)));
    await sweepAll(spool, NOW + MAIL_RETENTION);
    expectEqual(
      (await unlogged(world)).map(({ hasBody }) => hasBody),
      [false],
    );
    await sweepAll(spool, NOW + MAIL_RETENTION + 1);
    expectEqual(await unlogged(world), []);
    expectEqual(valueOf(await spool.size()).unlogged, 0);
  }),

  spoolCheck("changes at the same time are all logged in the end", async (world) => {
    const { spool } = world;
    await keepMailing(spool, [forward(OWNER, "a", 0), forward(OWNER, "a", 1), forward(OWNER, "a", 2)]);
    const taken = valueOf(await spool.take(NOW, 10, [])).copies;
    const before = (await unlogged(world)).map(revisionOf);
    await Promise.all([
      ...taken.map(async (due) => valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null))),
      spool.logged(before),
    ]);
    const [found] = await unlogged(world);
    expectEqual(
      found?.copies.map(({ state }) => state),
      ["sent", "sent", "sent"],
    );
    expectEqual(found?.revision, 4);
  }),
];
