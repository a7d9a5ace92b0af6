import {
  type AccountId,
  type CopyId,
  type FailureReason,
  isNonEmpty,
  type MailOutcome,
  newCopyId,
  parseCopyId,
} from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy, type CopyPurpose, type RelayAnswer } from "@postern/mail";
import type * as fc from "fast-check";
import { expectEqual } from "../../expect.ts";
import { type List, walk } from "../../walk.ts";
import type { SpoolWorld } from "../spool-check.ts";
import {
  account,
  forward,
  inChunks,
  isGone,
  isSame,
  NOTICE,
  newMailing,
  newNotice,
  octets,
  POSTMASTER,
  readBody,
  reply,
  revisionOf,
  settlement,
  sweepAll,
  verification,
} from "../spool-samples.ts";
import {
  addCopy,
  addMessage,
  at,
  bytesOf,
  change,
  copiesOf,
  expectTaken,
  isQueued,
  keepIfNoneLeft,
  type ModelCopy,
  markLogged,
  messageOf,
  record,
  type SpoolModel,
  sweep as sweepModel,
  uncountedOf,
  unloggedOf,
} from "./spool-model.ts";

export type SpoolCommand = fc.AsyncCommand<SpoolModel, SpoolWorld>;

/** Compares what is cheap to compare, after every command. */
const expectAgreement = async (model: SpoolModel, { spool }: SpoolWorld): Promise<void> => {
  const copies = copiesOf(model);
  const waiting = copies.filter((one) => isQueued(one) && !one.handedOut).map(({ copy }) => copy.nextAt);
  for (const after of [0, model.now]) {
    const times = waiting.filter((at) => at > after);
    expectEqual(valueOf(await spool.nextDue(after)), times.length === 0 ? null : Math.min(...times));
  }
  const queued = copies.filter(isQueued);
  const times = queued.map((one) => messageOf(model, one).message.createdAt);
  const uncounted = model.outcomes.filter(({ counted }) => !counted);
  expectEqual(valueOf(await spool.size()), {
    queued: queued.length,
    bytes: bytesOf(model),
    oldestAt: times.length === 0 ? null : Math.min(...times),
    uncounted: uncounted.length,
    unlogged: model.unlogged.length,
  });
};

/** Compares everything that the spool remembers. */
export const expectFullAgreement = async (model: SpoolModel, world: SpoolWorld): Promise<void> => {
  const { spool } = world;
  await expectAgreement(model, world);
  for (const one of copiesOf(model)) {
    const { message } = messageOf(model, one);
    expectEqual(valueOf(await spool.find(one.copy.id)), { copy: one.copy, message });
  }
  for (const id of model.forgotten) expectEqual(valueOf(await spool.find(id)), null);
  expectEqual(valueOf(await spool.unlogged(10_000)), unloggedOf(model));
  const list: List<Copy, CopyId> = (page) => spool.list(page);
  const listed = await walk(list, 3);
  const queued = copiesOf(model).filter(isQueued);
  expectEqual(listed.map(({ id }) => id).sort(), queued.map(({ copy }) => copy.id).sort());
  const uncounted = valueOf(await spool.uncounted(1_000));
  expectEqual(uncounted, uncountedOf(model));
};

const command = (
  label: string,
  run: (model: SpoolModel, world: SpoolWorld) => Promise<void>,
  check: (model: SpoolModel) => boolean = () => true,
): SpoolCommand => ({
  check,
  run: async (model, world) => {
    await run(model, world);
    await expectAgreement(model, world);
  },
  toString: () => label,
});

const hasCopies = (model: SpoolModel): boolean => model.messages.length > 0;

const aCopy = (model: SpoolModel, n: number): ModelCopy => {
  const found = at(copiesOf(model), n);
  if (found === undefined) throw new Error("the model has no copies");
  return found;
};

/** Copies that are handed out come first, because only their outcomes matter. */
const toSettle = (model: SpoolModel, n: number): ModelCopy => {
  const handedOut = copiesOf(model).filter((one) => one.handedOut);
  return at(n % 4 === 0 ? [] : handedOut, n) ?? aCopy(model, n);
};

const purposesOf = (owner: AccountId, aliases: number, copies: number): readonly CopyPurpose[] =>
  Array.from({ length: copies }, (_, n) => forward(owner, "a".repeat(1 + (n % aliases)), n));

/** A received body, not kept yet. */
const receiveContent = async ({ spool }: SpoolWorld, content: Uint8Array) =>
  valueOf(await spool.receive(inChunks(content)));

export const receive = (size: number): SpoolCommand =>
  command(`receive ${size} octets`, async (model, world) => {
    const content = octets(size, size + 1);
    model.received.push({ body: await receiveContent(world, content), content });
  });

export const discard = (n: number): SpoolCommand =>
  command(
    `discard body ${n}`,
    async ({ received }) => {
      const [one] = received.splice(n % received.length, 1);
      await one?.body.discard();
      expectEqual(one && (await isGone(one.body)), true);
    },
    ({ received }) => received.length > 0,
  );

export const keep = (n: number, owner: number, aliases: number, copies: number): SpoolCommand =>
  command(
    `keep body ${n} for ${copies} recipients of ${aliases} aliases of account ${owner}`,
    async (model, { spool }) => {
      const one = at(model.received, n);
      if (one === undefined) return;
      const written = [verification(account(1)), reply(account(1)), reply(account(1))];
      const others = aliases % 2 === 0 ? [NOTICE, POSTMASTER] : written;
      const purposes = owner === 0 ? others : purposesOf(account(owner), aliases, copies);
      if (!isNonEmpty(purposes)) throw new Error("there is a recipient");
      const mailing = newMailing(one.body, purposes, model.now);
      valueOf(await spool.keep(mailing));
      model.received.splice(model.received.indexOf(one), 1);
      addMessage(model, mailing, one.content);
    },
    ({ received }) => received.length > 0,
  );

export const keepAgain = (n: number): SpoolCommand =>
  command(
    `keep message ${n} again`,
    async (model, world) => {
      const found = at(model.messages, n);
      if (found === undefined) return;
      const body = await receiveContent(world, octets(5));
      valueOf(await world.spool.keep({ ...found.mailing, body }));
      expectEqual(await isGone(body), true);
    },
    hasCopies,
  );

/** Takes nothing from the excepted account; null excepts none. */
export const take = (limit: number, excepted: number | null): SpoolCommand =>
  command(
    `take ${limit}${excepted === null ? "" : `, nothing of account ${excepted}`}`,
    async (model, { spool }) => {
      const except = excepted === null ? [] : [excepted === 0 ? "" : account(excepted)];
      const taken = valueOf(await spool.take(model.now, limit, except));
      expectTaken(model, taken, limit, except);
      for (const { copy, body } of taken.copies) {
        const content = model.messages.find(({ message }) => message.id === copy.message)?.content;
        if (content == null || !isSame(await readBody(body), content)) throw new Error("a body was changed");
      }
    },
  );

export const settle = (n: number, answer: RelayAnswer, withNotice: boolean): SpoolCommand =>
  command(
    `settle copy ${n}: ${answer.kind}${withNotice ? ", with a notice" : ""}`,
    async (model, world) => {
      const one = toSettle(model, n);
      const settled = settlement(one, answer, model.now);
      const notice = withNotice ? newNotice(octets(7), model.now) : null;
      valueOf(await world.spool.settle(one.copy.id, settled, notice));
      for (const event of Copy.counted(one.copy, settled)) record(model, one, event);
      one.handedOut = false;
      if (isQueued(one)) {
        change(model, one, Copy.settle(one.copy, settled));
        if (notice !== null) keepIfNoneLeft(model, one, notice);
      }
    },
    hasCopies,
  );

/** Calls that settle one copy each rarely settle all copies of a message. */
export const settleAll = (answer: RelayAnswer, withNotice: boolean): SpoolCommand =>
  command(
    `take and settle all that is due: ${answer.kind}${withNotice ? ", with notices" : ""}`,
    async (model, world) => {
      await take(10_000, null).run(model, world);
      while (copiesOf(model).some(({ handedOut }) => handedOut)) {
        await settle(1, answer, withNotice).run(model, world);
      }
    },
  );

const UNKNOWN: CopyId = valueOf(parseCopyId("x".repeat(26)));

export const report = (
  n: number,
  outcome: MailOutcome,
  reason: FailureReason | null,
  withNotice: boolean,
): SpoolCommand =>
  command(
    `report ${outcome} of copy ${n}${withNotice ? ", with a notice" : ""}`,
    async (model, world) => {
      const notice = withNotice ? newNotice(octets(7), model.now) : null;
      const unknown = at([...model.forgotten, UNKNOWN], n) ?? UNKNOWN;
      expectEqual(valueOf(await world.spool.report(unknown, outcome, model.now, reason, null)), "unknown");
      const one = aCopy(model, n);
      const reported = valueOf(await world.spool.report(one.copy.id, outcome, model.now, reason, notice));
      for (const event of Copy.implied(one.copy, outcome, model.now)) record(model, one, event);
      const recorded = record(model, one, Copy.outcome(one.copy.id, outcome, model.now));
      expectEqual(reported, recorded ? "recorded" : "duplicate");
      const after = Copy.report(one.copy, outcome, model.now, reason);
      const isNews = recorded || after !== one.copy;
      change(model, one, after);
      if (isNews && notice !== null) keepIfNoneLeft(model, one, notice);
    },
    hasCopies,
  );

export const delay = (n: number, reason: FailureReason): SpoolCommand =>
  command(
    `delay copy ${n}`,
    async (model, { spool }) => {
      const one = aCopy(model, n);
      valueOf(await spool.delay(at([...model.forgotten, UNKNOWN], n) ?? UNKNOWN, reason));
      valueOf(await spool.delay(one.copy.id, reason));
      change(model, one, Copy.delay(one.copy, reason));
    },
    hasCopies,
  );

/** One report rarely is the last one of a message. */
export const reportAll = (n: number, outcome: MailOutcome, withNotice: boolean): SpoolCommand =>
  command(
    `report ${outcome} of all copies of message ${n}${withNotice ? ", with notices" : ""}`,
    async (model, world) => {
      const copies = at(model.messages, n)?.copies ?? [];
      for (const [place, one] of copiesOf(model).entries()) {
        if (copies.includes(one)) await report(place, outcome, null, withNotice).run(model, world);
      }
    },
    hasCopies,
  );

export const countOutcomes = (count: number): SpoolCommand =>
  command(`count ${count} outcomes`, async (model, { spool }) => {
    const uncounted = valueOf(await spool.uncounted(count));
    expectEqual(uncounted, uncountedOf(model).slice(0, count));
    const ids = uncounted.map(({ event }) => event.id);
    valueOf(await spool.counted(ids));
    for (const outcome of model.outcomes) if (ids.includes(outcome.event.id)) outcome.counted = true;
  });

export const readUnlogged = (count: number): SpoolCommand =>
  command(`read ${count} unlogged messages`, async (model, { spool }) => {
    const unlogged = valueOf(await spool.unlogged(count));
    expectEqual(unlogged, unloggedOf(model).slice(0, count));
    model.read = unlogged.map(revisionOf);
  });

/** What was read may have changed since. */
export const log = (): SpoolCommand =>
  command("log what was read", async (model, { spool }) => {
    valueOf(await spool.logged(model.read));
    markLogged(model, model.read);
  });

/** Usually nothing changes between the two. */
export const logAll = (): SpoolCommand =>
  command("log everything", async (model, world) => {
    await readUnlogged(1_000).run(model, world);
    await log().run(model, world);
  });

export const sweep = (): SpoolCommand =>
  command("sweep", async (model, { spool }) => {
    await sweepAll(spool, model.now);
    sweepModel(model);
  });

export const retry = (n: number): SpoolCommand =>
  command(
    `retry copy ${n}`,
    async (model, { spool }) => {
      const one = aCopy(model, n);
      const possible = isQueued(one) || (one.copy.state !== "sent" && messageOf(model, one).content !== null);
      if (possible) change(model, one, Copy.retry(one.copy, model.now));
      expectEqual(valueOf(await spool.retry(one.copy.id, model.now)), one.copy.state);
    },
    hasCopies,
  );

const { secrets } = testPorts();

/** Of its existing copies, sends again those whose number is divisible by the divisor. */
export const resend = (n: number, divisor: number, owner: number, added: number): SpoolCommand =>
  command(
    `resend message ${n}, with ${added} more copies for account ${owner}`,
    async (model, { spool }) => {
      const found = at(model.messages, n);
      const first = found?.copies[0];
      if (found === undefined || first === undefined) return;
      const old = found.copies.filter((_, place) => place % divisor === 0);
      const { id } = found.message;
      const fresh = Array.from({ length: added }, (_, place) =>
        Copy.create(
          {
            id: newCopyId(secrets.random),
            message: id,
            to: first.copy.to,
            purpose: forward(account(owner), "a", 10 + place),
          },
          model.now,
        ),
      );
      const copies = [...old.map(({ copy }) => copy), ...fresh];
      if (!isNonEmpty(copies)) return;
      const possible = found.content !== null;
      expectEqual(valueOf(await spool.resend(id, copies, model.now)), possible);
      if (!possible) return;
      for (const one of old) {
        if (!isQueued(one) && one.copy.state !== "sent") change(model, one, Copy.retry(one.copy, model.now));
      }
      for (const copy of fresh) addCopy(model, found, copy);
    },
    hasCopies,
  );

export const drop = (n: number): SpoolCommand =>
  command(
    `drop copy ${n}`,
    async (model, { spool }) => {
      const one = aCopy(model, n);
      if (isQueued(one)) change(model, one, Copy.drop(one.copy, model.now));
      expectEqual(valueOf(await spool.drop(one.copy.id, model.now)), one.copy.state);
    },
    hasCopies,
  );

export const wait = (milliseconds: number): SpoolCommand =>
  command(`wait ${milliseconds} ms`, async (model) => {
    model.now += milliseconds;
  });

/** Bodies that were received but not kept are gone; copies that were handed out no longer are. */
export const reopen = (): SpoolCommand =>
  command("reopen", async (model, world) => {
    if (world.reopen === null) return;
    await world.reopen();
    const lost = model.received.splice(0);
    for (const one of copiesOf(model)) one.handedOut = false;
    await expectFullAgreement(model, world);
    for (const { body } of lost) {
      const kept = await world.spool.keep(newMailing(body, [NOTICE], model.now));
      expectEqual(kept.isErr() && kept.error.code, "unavailable");
    }
  });
