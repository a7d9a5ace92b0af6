import { isNonEmpty, newCopyId, newMessageId } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy, type CopyPurpose, type Message, type RelayAnswer } from "@postern/mail";
import { expectEqual } from "../expect.ts";
import { type SpoolWorld, spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DEFERRED,
  forward,
  keepMailing,
  logAll,
  NOW,
  octets,
  REFUSED,
  readBody,
  settleAll,
  settlement,
  sweepAll,
} from "./spool-samples.ts";

const { secrets } = testPorts();
const OWNER = account(0);
const LATER = NOW + 1_000;

/** A copy that the message does not have yet. */
const added = ({ id }: Message, to: Copy["to"], purpose: CopyPurpose): Copy =>
  Copy.create({ id: newCopyId(secrets.random), message: id, to, purpose }, LATER);

const statesOf = async ({ spool }: SpoolWorld, { id }: Message) =>
  valueOf(await spool.findAll(id)).map(({ state }) => state);

/** Keeps a message with one copy for each answer that the relay gives; a copy without an answer stays queued. */
const keepWith = async ({ spool }: SpoolWorld, answers: readonly (RelayAnswer | null)[], size = 10) => {
  const purposes = answers.map((_, n) => forward(OWNER, "alias", n));
  if (!isNonEmpty(purposes)) throw new Error("at least one answer is needed");
  const mailing = await keepMailing(spool, purposes, { content: octets(size) });
  for (const [n, copy] of mailing.copies.entries()) {
    const answer = answers[n];
    if (answer != null) valueOf(await spool.settle(copy.id, settlement({ copy }, answer), null));
  }
  return mailing;
};

export const resendChecks = [
  spoolCheck(
    "a message is sent again: what was not sent is due now, and copies are added, while others stay as they are",
    async (world) => {
      const { spool } = world;
      for (const size of [10, 600_000]) {
        const { message, copies } = await keepWith(world, [ACCEPTED, REFUSED, DEFERRED, REFUSED], size);
        const [sent, failed, queued, left] = copies;
        if (failed === undefined || queued === undefined || left === undefined)
          throw new Error("4 were kept");
        const before = valueOf(await spool.findAll(message.id));
        const fresh = [1, 2].map((n) => added(message, sent.to, forward(OWNER, "alias", 3 + n)));
        const [stillSent, , stillQueued, stillFailed] = before;
        expectEqual(valueOf(await spool.resend(message.id, [failed, ...fresh, queued, sent], LATER)), true);
        expectEqual(valueOf(await spool.findAll(message.id)), [
          stillSent,
          { ...failed, attempts: 1, nextAt: LATER, since: LATER },
          stillQueued,
          stillFailed,
          ...fresh,
        ]);
        await sweepAll(spool, LATER);
        const taken = valueOf(await spool.take(LATER, 10, [])).copies;
        expectEqual(
          taken.map(({ copy }) => copy.id).toSorted(),
          [failed, ...fresh].map(({ id }) => id).toSorted(),
        );
        for (const { body } of taken) expectEqual((await readBody(body)).length, size);
        for (const due of taken) {
          valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED, LATER), null));
        }
        expectEqual(await statesOf(world, message), ["sent", "sent", "queued", "failed", "sent", "sent"]);
        valueOf(await spool.drop(queued.id, LATER));
      }
    },
  ),

  spoolCheck("a message that is sent again has to be logged, once for each alias", async (world) => {
    const { spool } = world;
    const { message, copies } = await keepWith(world, [REFUSED]);
    const unlogged = async () =>
      valueOf(await spool.unlogged(10)).map(({ alias, copies, revision }) => ({
        alias: alias.id,
        states: copies.map(({ state }) => state),
        revision,
      }));
    await logAll(spool);
    const [failed] = copies;
    const other = added(message, failed.to, forward(OWNER, "another"));
    valueOf(await spool.resend(message.id, [failed, other], LATER));
    expectEqual(await unlogged(), [
      { alias: "alias", states: ["queued"], revision: 3 },
      { alias: "another", states: ["queued"], revision: 1 },
    ]);
    await logAll(spool);
    // They are already queued.
    valueOf(await spool.resend(message.id, [failed, other], LATER));
    expectEqual(await unlogged(), []);
  }),

  spoolCheck(
    "a message that is sent again keeps its body until its new copies are settled",
    async (world) => {
      const { spool } = world;
      const { message, copies } = await keepWith(world, [ACCEPTED]);
      const [sent] = copies;
      const fresh = added(message, sent.to, forward(OWNER, "alias", 1));
      valueOf(await spool.resend(message.id, [fresh], LATER));
      await sweepAll(spool, LATER);
      await settleAll(spool, ACCEPTED, LATER);
      expectEqual(await statesOf(world, message), ["sent", "sent"]);
      await sweepAll(spool, LATER);
      expectEqual(valueOf(await spool.size()).bytes, 0);
    },
  ),

  spoolCheck("a message without a body is not sent again", async (world) => {
    const { spool } = world;
    const { message, copies } = await keepWith(world, [ACCEPTED]);
    await sweepAll(spool, NOW);
    const [sent] = copies;
    const fresh = added(message, sent.to, forward(OWNER, "alias", 1));
    expectEqual(valueOf(await spool.resend(message.id, [fresh], LATER)), false);
    expectEqual(await statesOf(world, message), ["sent"]);
    expectEqual(valueOf(await spool.find(fresh.id)), null);
    const other = await keepWith(world, [ACCEPTED]);
    expectEqual(valueOf(await spool.resend(newMessageId(secrets.random), other.copies, LATER)), false);
  }),

  spoolCheck("a spool has an id of its own, which it keeps", async (world) => {
    const { id } = world.spool;
    await world.reopen?.();
    expectEqual(world.spool.id, id);
    await world.renew();
    if (world.spool.id === id) throw new Error("two spools have the same id");
  }),
];
