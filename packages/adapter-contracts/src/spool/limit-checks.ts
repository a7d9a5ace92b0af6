import { FAILED_BODY_RETENTION, type MessageId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { EVICTION_THRESHOLD, spoolOctets } from "@postern/mail";
import { expectEqual, expectMatch } from "../expect.ts";
import { spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DAY,
  forward,
  inChunks,
  keepMailing,
  logAll,
  NOW,
  newMailing,
  octets,
  REFUSED,
  receive,
  settleAll,
  settlement,
  sweepAll,
} from "./spool-samples.ts";

const LIMIT = 1_000_000;
const FULL = { error: { code: "spool_full" } };
const PURPOSES = [forward(account(0)), forward(account(0), "alias", 1)] as const;

export const limitChecks = [
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
