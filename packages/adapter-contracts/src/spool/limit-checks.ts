import { type AccountId, FAILED_BODY_RETENTION, type MessageId, type NonEmpty } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  accountOf,
  type CopyPurpose,
  DROPPED,
  EVICTION_THRESHOLD,
  HISTORY_SHARE,
  isWithinShare,
  type Mailing,
  type Spool,
  spoolOctets,
} from "@postern/mail";
import * as fc from "fast-check";
import { expectEqual, expectMatch } from "../expect.ts";
import { runs } from "../runs.ts";
import { spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DAY,
  DEFERRED,
  forward,
  inChunks,
  keepMailing,
  logAll,
  NOTICE,
  NOW,
  newMailing,
  octets,
  POSTMASTER,
  REFUSED,
  receive,
  settleAll,
  settlement,
  sweepAll,
} from "./spool-samples.ts";

const LIMIT = 1_000_000;
/** A quarter of it is enough for about 40 messages. */
const SMALL_LIMIT = 200_000;
const FULL = { error: { code: "spool_full" } };
const PURPOSES = [forward(account(0)), forward(account(0), "alias", 1)] as const;

/** Whom copies belong to, in the checks of shares. */
const OWNERS: readonly AccountId[] = [0, 1, 2].map(account);

/** Compares what the spool says about each account, and about mail that belongs to none, with what waits. */
const expectShares = async (spool: Spool, mailings: readonly Omit<Mailing, "message">[]): Promise<void> => {
  const octets = new Map<string, number>();
  let waiting = 0;
  for (const { body, copies } of mailings) {
    const [copy] = copies;
    const found = valueOf(await spool.find(copy.id));
    if (found === null) throw new Error("a copy was forgotten");
    const now = valueOf(await spool.findAll(copy.message)).filter(({ state }) => state === "queued");
    const size = body.size + spoolOctets({ message: found.message, copies });
    if (now.length > 0) waiting += size;
    for (const owner of new Set(now.map(accountOf))) octets.set(owner, (octets.get(owner) ?? 0) + size);
  }
  const held = (owner: string) => octets.get(owner) ?? 0;
  for (const owner of ["", ...OWNERS]) {
    expectEqual(valueOf(await spool.hasRoom(owner)), isWithinShare({ waiting, held: held(owner) }, LIMIT));
  }
  const largest = valueOf(await spool.largest());
  const expected =
    waiting > LIMIT * EVICTION_THRESHOLD
      ? OWNERS.filter((owner) => held(owner) > 0).toSorted((one, other) => held(other) - held(one))
      : [];
  // Those that have the same may come in any order.
  expectEqual([largest.map(held), new Set(largest).size], [expected.map(held), expected.length]);
};

export const limitChecks = [
  spoolCheck(
    "however much mail waits, whatever becomes of it, an account has room as long as it is within its share",
    async (world) => {
      const owner = fc.nat(OWNERS.length).map((n): CopyPurpose => forward(OWNERS[n] ?? account(0)));
      const purposes = fc.tuple(
        fc.oneof(owner, fc.constantFrom<CopyPurpose>(POSTMASTER)),
        fc.array(fc.oneof(owner, fc.constantFrom<CopyPurpose>(POSTMASTER, NOTICE)), { maxLength: 3 }),
      );
      const steps = fc.array(
        fc.oneof(
          { weight: 6, arbitrary: fc.record({ keep: purposes, size: fc.nat(120_000) }) },
          fc.record({ answer: fc.constantFrom(ACCEPTED, REFUSED, DEFERRED), most: fc.nat(4) }),
          fc.record({ act: fc.constantFrom("retry", "drop", "dropAll", "resend", "reopen"), n: fc.nat() }),
        ),
        { minLength: 20, maxLength: 40 },
      );
      // Runs that succeed share one spool, in which nothing waits after each.
      let isIdle = true;
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => {
          if (!isIdle) await world.renew();
          isIdle = false;
          const mailings: Mailing[] = [];
          for (const step of steps) {
            const { spool } = world;
            if ("keep" in step) {
              const [first, others] = step.keep;
              const received = await spool.receive(inChunks(octets(step.size)));
              if (received.isErr()) continue;
              const mailing = newMailing(received.value, [first, ...others]);
              if ((await spool.keep(mailing)).isOk()) mailings.push(mailing);
              else await received.value.discard();
            } else if ("answer" in step) {
              for (const due of valueOf(await spool.take(NOW, step.most, [])).copies) {
                valueOf(await spool.settle(due.copy.id, settlement(due, step.answer), null));
              }
            } else {
              const mailing = mailings[step.n % Math.max(1, mailings.length)];
              if (mailing === undefined) continue;
              const { copies, message } = mailing;
              const [copy = copies[0]] = copies.slice(step.n % copies.length);
              if (step.act === "retry") valueOf(await spool.retry(copy.id, NOW));
              if (step.act === "drop") valueOf(await spool.drop(copy.id, NOW));
              if (step.act === "dropAll") valueOf(await spool.dropAll(OWNERS[step.n % 3] ?? account(0), NOW));
              if (step.act === "resend") valueOf(await spool.resend(message.id, copies, NOW));
              if (step.act === "reopen") await world.reopen?.();
            }
            await expectShares(world.spool, mailings);
          }
          for (const { id } of mailings.flatMap(({ copies }) => copies))
            valueOf(await world.spool.drop(id, NOW));
          await sweepAll(world.spool, NOW + FAILED_BODY_RETENTION);
          isIdle = true;
        }),
        runs(10),
      );
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "if too much is remembered of finished messages, the oldest are forgotten, except those that have to be counted",
    async ({ spool }) => {
      const oldestFirst: Mailing[] = [];
      for (let n = 0; n < 60; n += 1) {
        // In another order than that of their times.
        const createdAt = NOW + ((n * 7) % 60);
        oldestFirst[createdAt - NOW] = await keepMailing(spool, [forward(account(0))], { createdAt });
      }
      await settleAll(spool, ACCEPTED, NOW + DAY);
      const outcomes = valueOf(await spool.uncounted(100)).map(({ event }) => event.id);
      const [first, ...others] = oldestFirst;
      if (first === undefined) throw new Error("60 messages were kept");
      valueOf(await spool.counted(outcomes.filter((id) => !id.startsWith(first.copies[0].id))));
      const waiting = await keepMailing(spool, [forward(account(0))], { createdAt: NOW - DAY });
      // What is left after the first sweep is not too much for the second one.
      for (let sweeps = 0; sweeps < 2; sweeps += 1) {
        await sweepAll(spool, NOW + DAY);
        let octets = oldestFirst.reduce((sum, mailing) => sum + spoolOctets(mailing), 0);
        for (const mailing of others) {
          const isRemembered = octets <= SMALL_LIMIT * HISTORY_SHARE;
          expectEqual(valueOf(await spool.find(mailing.copies[0].id)) !== null, isRemembered);
          if (!isRemembered) octets -= spoolOctets(mailing);
        }
        expectMatch(valueOf(await spool.find(first.copies[0].id)), { copy: { state: "sent" } });
        expectMatch(valueOf(await spool.find(waiting.copies[0].id)), { copy: { state: "queued" } });
      }
    },
    { limit: SMALL_LIMIT },
  ),

  spoolCheck("all queued copies of an account are dropped, a bounded number in a call", async ({ spool }) => {
    const copies: NonEmpty<CopyPurpose> = [
      forward(account(0)),
      ...Array.from({ length: DROPPED }, (_, n) => forward(account(0), "alias", n)),
      forward(account(1)),
    ];
    await keepMailing(spool, copies);
    await logAll(spool);
    const drop = async () => valueOf(await spool.dropAll(account(0), NOW + 1));
    expectEqual([await drop(), await drop(), await drop()], [DROPPED, 1, 0]);
    const left = valueOf(await spool.list({ limit: 1_000, after: null })).items;
    expectEqual(left.map(accountOf), [account(1)]);
    expectEqual(
      valueOf(await spool.take(NOW + 1, 1_000, [])).copies.map(({ copy }) => accountOf(copy)),
      [account(1)],
    );
    const [unlogged] = valueOf(await spool.unlogged(10));
    expectMatch(unlogged?.copies[0], { state: "dropped", since: NOW + 1 });
  }),

  spoolCheck(
    "the spool never exceeds its limit, and keeps nothing of what does not fit",
    async ({ spool }) => {
      // First a body does not fit, then a message whose body did.
      for (const sizes of [[100_000, 0, 300_000, 20_000], [248_000]]) {
        let expected = 0;
        let kept = 0;
        for (let n = 0; ; n += 1) {
          const size = sizes[n % sizes.length] ?? 0;
          const received = await spool.receive(inChunks(octets(size)));
          if (expected + size > LIMIT) {
            expectMatch(received, FULL);
            break;
          }
          const mailing = newMailing(valueOf(received), PURPOSES);
          const stored = await spool.keep(mailing);
          if (expected + size + spoolOctets(mailing) > LIMIT) {
            expectMatch(stored, FULL);
            expectEqual(valueOf(await spool.find(mailing.copies[0].id)), null);
            await mailing.body.discard();
            break;
          }
          valueOf(stored);
          expected += size + spoolOctets(mailing);
          kept += 1;
          expectEqual(valueOf(await spool.size()).bytes, expected);
        }
        expectEqual(valueOf(await spool.size()).bytes, expected);
        expectEqual(valueOf(await spool.size()).queued, kept * PURPOSES.length);
        await settleAll(spool, ACCEPTED);
        await sweepAll(spool, NOW + DAY);
        expectEqual(valueOf(await spool.size()).bytes, 0);
      }
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "a body that does not fit is refused while it arrives, and the spool asks for no more of it",
    async ({ spool }) => {
      let asked = 0;
      const endless = async function* () {
        for (; asked < 1_000; asked += 1) yield octets(10_000);
      };
      expectMatch(await spool.receive(endless()), FULL);
      // Some chunks may be read ahead.
      if (asked > 150) throw new Error(`${asked} chunks were read of a body that did not fit after 100`);
      expectEqual(valueOf(await spool.size()).bytes, 0);
      await (await receive(spool, octets(LIMIT))).discard();
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "bodies that nobody waits for are evicted for others: first those without a failed copy, then those that failed earliest",
    async ({ spool }) => {
      const kept: MessageId[] = [];
      for (let n = 0; n < 4; n += 1) {
        const { message } = await keepMailing(spool, [forward(account(0))], { content: octets(200_000) });
        kept.push(message.id);
      }
      const [second, first, sent, queued] = kept;
      for (const due of valueOf(await spool.take(NOW, 10, [])).copies) {
        const { id } = due.message;
        if (id === queued) continue;
        const answer = id === sent ? ACCEPTED : REFUSED;
        const now = id === second ? NOW + 1 : NOW;
        valueOf(await spool.settle(due.copy.id, settlement(due, answer, now), null));
      }
      const bytes = async () => valueOf(await spool.size()).bytes;
      const used = await bytes();
      const each = used / 4;
      // There is room for it.
      const fitting = await receive(spool, octets(LIMIT - used));
      expectEqual(await bytes(), LIMIT);
      const body = await receive(spool, octets(1));
      expectEqual(await bytes(), LIMIT + 1 - each);
      await body.discard();
      const large = await receive(spool, octets(Math.ceil(1.5 * each)));
      expectEqual(await bytes(), LIMIT - 2 * each + Math.ceil(1.5 * each));
      await large.discard();
      const copies = async () => (await Promise.all(kept.map((id) => spool.findAll(id)))).flatMap(valueOf);
      const retried = [];
      for (const copy of await copies()) {
        if (copy.message === second || copy.message === first) {
          retried.push([copy.message, valueOf(await spool.retry(copy.id, NOW))]);
        }
      }
      expectEqual(retried, [
        [second, "queued"],
        [first, "failed"],
      ]);
      await fitting.discard();
      // Bodies of queued messages are never evicted, not even for the rest of a message whose body fits.
      expectMatch(await spool.receive(inChunks(octets(LIMIT - 2 * each + 1))), FULL);
      const rest = newMailing(await receive(spool, octets(LIMIT - 2 * each)), PURPOSES);
      expectMatch(await spool.keep(rest), FULL);
      await rest.body.discard();
      expectEqual(await bytes(), 2 * each);
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "sweeping leaves a quarter of the limit for waiting mail, as far as bodies can be evicted",
    async ({ spool }) => {
      const content = octets(60_000);
      for (let n = 0; n < 9; n += 1) {
        await keepMailing(spool, [forward(account(0))], { content });
        await settleAll(spool, REFUSED, NOW + n);
      }
      const used = valueOf(await spool.size()).bytes;
      const each = used / 9;
      await sweepAll(spool, NOW + 9);
      expectEqual(valueOf(await spool.size()).bytes, used);
      const waiting = await keepMailing(spool, [forward(account(0))], { content: octets(LIMIT * 0.3) });
      const all = valueOf(await spool.size()).bytes;
      await sweepAll(spool, NOW + 9);
      const excess = all - LIMIT * EVICTION_THRESHOLD;
      expectEqual(valueOf(await spool.size()).bytes, all - Math.ceil(excess / each) * each);
      const more = await receive(spool, octets(LIMIT * 0.25));
      await sweepAll(spool, NOW + 9);
      const own = LIMIT * 0.3 + spoolOctets(waiting);
      const left = Math.floor((LIMIT * 0.5 - own) / each);
      expectEqual(valueOf(await spool.size()).bytes, LIMIT * 0.25 + own + left * each);
      await more.discard();
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "a message whose body was evicted has to be logged as one that cannot be sent again",
    async ({ spool }) => {
      const { message } = await keepMailing(spool, PURPOSES, { content: octets(100_000) });
      await settleAll(spool, REFUSED);
      await keepMailing(spool, [forward(account(1))], { content: octets(100_000) });
      await settleAll(spool, ACCEPTED);
      const unlogged = async () => valueOf(await spool.unlogged(10));
      expectEqual(
        (await unlogged()).map(({ hasBody }) => hasBody),
        [true, true],
      );
      await logAll(spool);
      const large = await receive(spool, octets(LIMIT));
      expectEqual(
        (await unlogged()).map((each) => [each.message.id, each.hasBody]),
        [[message.id, false]],
      );
      await large.discard();
      await logAll(spool);
      // A message whose body is forgotten when its time is up could not have been sent again anyway.
      await keepMailing(spool, [forward(account(0))]);
      await settleAll(spool, REFUSED);
      await logAll(spool);
      await sweepAll(spool, NOW + FAILED_BODY_RETENTION);
      expectEqual(await unlogged(), []);
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "keeping a message evicts bodies that no copy is waiting for",
    async ({ spool }) => {
      await keepMailing(spool, [forward(account(0))], { content: octets(100_000) });
      await settleAll(spool, REFUSED);
      const used = valueOf(await spool.size()).bytes;
      const mailing = newMailing(await receive(spool, octets(LIMIT - used)), PURPOSES);
      valueOf(await spool.keep(mailing));
      expectEqual(valueOf(await spool.size()).bytes, LIMIT - used + spoolOctets(mailing));
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "bodies that arrive at the same time share the limit",
    async ({ spool }) => {
      const results = await Promise.all(
        [1, 2, 3, 4].map((seed) => spool.receive(inChunks(octets(300_000, seed)))),
      );
      const bodies = results.flatMap((result) => (result.isOk() ? [result.value] : []));
      for (const result of results) if (result.isErr()) expectMatch(result, FULL);
      if (bodies.length > 3) throw new Error("bodies beyond the limit were received");
      expectEqual(valueOf(await spool.size()).bytes, bodies.length * 300_000);
      await Promise.all(bodies.map((body) => body.discard()));
      expectEqual(valueOf(await spool.size()).bytes, 0);
    },
    { limit: LIMIT },
  ),
];
