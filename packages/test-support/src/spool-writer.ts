import { writeSync } from "node:fs";
import { Copy, type RelayAnswer, type Spool } from "@postern/mail";
import { chunksOf, contentOf, forward, mailingOf, NOW, noticeOf } from "./spool-mail.ts";

const print = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);
const below = (n: number): number => Math.floor(Math.random() * n);

const ANSWERS: readonly RelayAnswer[] = [
  { kind: "accepted" },
  { kind: "refused", about: "copy", code: 550, status: null },
  { kind: "deferred", about: "copy", code: 451, status: null },
];

/**
 * Receives, keeps, settles, tells and logs in the spool as fast as it can, until its process is killed. It has as many concurrent writers
 * as `writers` says. Each prints a line that says what it is about to do, and another once that was acknowledged (`spool-lines.ts`). It
 * ends after `maxFailures` failed calls, and prints whether reading still works.
 */
export const writeUntilKilled = async (
  spool: Spool,
  writers: number,
  maxFailures = Number.POSITIVE_INFINITY,
): Promise<void> => {
  let failures = 0;
  const codes = new Set<string>();

  const fail = (code: string) => {
    failures += 1;
    codes.add(code);
  };

  const keep = async () => {
    const seed = below(1e9);
    const size = below(8) === 0 ? 300_000 + below(100_000) : below(20_000);
    const body = await spool.receive(chunksOf(contentOf(seed, size)));
    if (body.isErr()) return fail(body.error.code);
    const mailing = mailingOf(
      body.value,
      Array.from({ length: 1 + below(3) }, () => forward(`account-${below(3)}`)),
    );
    const copies = mailing.copies.map(({ id }) => id);
    print({ keeping: copies });
    const kept = await spool.keep(mailing);
    if (kept.isErr()) {
      await body.value.discard();
      return fail(kept.error.code);
    }
    print({ kept: { copies, seed, size } });
  };

  const settle = async () => {
    const taken = await spool.take(NOW + 1_000 * 60 * 60, 3, []);
    if (taken.isErr()) return fail(taken.error.code);
    for (const due of taken.value.copies) {
      const settlement = Copy.after(due.copy, ANSWERS[below(3)] ?? { kind: "accepted" }, NOW, below);
      const notice = settlement.state === "failed" ? noticeOf(contentOf(0, 100)) : null;
      const events = settlement.outcomes.map(({ id }) => id);
      const line = { copy: due.copy.id, state: settlement.state, events, notice: notice?.copies[0].id };
      print({ settling: line });
      const settled = await spool.settle(due.copy.id, settlement, notice);
      if (settled.isErr()) fail(settled.error.code);
      else print({ settled: line });
    }
  };

  const tell = async () => {
    const uncounted = await spool.uncounted(5);
    if (uncounted.isErr()) return fail(uncounted.error.code);
    const events = uncounted.value.map(({ event }) => event.id);
    print({ telling: events });
    const counted = await spool.counted(events);
    if (counted.isErr()) fail(counted.error.code);
  };

  const log = async () => {
    const unlogged = await spool.unlogged(5);
    if (unlogged.isErr()) return fail(unlogged.error.code);
    const revisions = unlogged.value.map(({ alias, message: { id }, revision }) => ({
      id,
      account: alias.account,
      alias: alias.id,
      revision,
    }));
    print({ logging: revisions });
    const logged = await spool.logged(revisions);
    if (logged.isErr()) fail(logged.error.code);
    else print({ logged: revisions });
  };

  const sweep = async () => {
    const swept = await spool.sweep(NOW);
    if (swept.isErr()) fail(swept.error.code);
  };

  const WORK = [keep, keep, keep, settle, settle, tell, log, sweep];

  const write = async () => {
    while (failures < maxFailures) await (WORK[below(WORK.length)] ?? keep)();
  };
  await Promise.all(Array.from({ length: writers }, write));
  const size = await spool.size();
  print({ end: { codes: [...codes].sort(), reads: size.isOk() } });
};
