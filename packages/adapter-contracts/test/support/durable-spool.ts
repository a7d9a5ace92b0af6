import type { OpenSpool } from "@postern/adapter-contracts";
import { memorySpool } from "@postern/adapter-memory";
import type { Mailing, Spool } from "@postern/mail";
import { inChunks, readBody, receive } from "../../src/spool/spool-samples.ts";

/** A successful call that changes a spool, to be repeated on an empty one. */
export type Change = { readonly call: string; repeat(spool: Spool): Promise<unknown> };

/** A mailing whose body can be received again by another spool. */
const remembered = async (mailing: Mailing) => {
  const content = await readBody(mailing.body);
  return async (spool: Spool): Promise<Mailing> => ({ ...mailing, body: await receive(spool, content) });
};

/** The spool in memory, which adds the calls to be repeated to `changes`. */
const remembering = (real: Spool, changes: Change[]): Spool => {
  const done = (call: string, repeat: Change["repeat"]) => void changes.push({ call, repeat });
  return {
    ...real,
    receive: async (chunks) => {
      const received = await real.receive(chunks);
      if (received.isOk()) {
        const content = await readBody(received.value);
        done("receive", (spool) => spool.receive(inChunks(content)));
      }
      return received;
    },
    keep: async (mailing) => {
      const again = await remembered(mailing).catch(() => null);
      const kept = await real.keep(mailing);
      if (kept.isOk() && again !== null) done("keep", async (spool) => spool.keep(await again(spool)));
      return kept;
    },
    take: async (...input) => {
      done("take", (spool) => spool.take(...input));
      return real.take(...input);
    },
    settle: async (copy, settlement, ifNoneLeft) => {
      done("settle", (spool) => spool.settle(copy, settlement, ifNoneLeft));
      return real.settle(copy, settlement, ifNoneLeft);
    },
    report: async (copy, outcome, at, reason, ifNoneLeft) => {
      done("report", (spool) => spool.report(copy, outcome, at, reason, ifNoneLeft));
      return real.report(copy, outcome, at, reason, ifNoneLeft);
    },
    counted: async (events) => {
      done("counted", (spool) => spool.counted(events));
      return real.counted(events);
    },
    logged: async (revisions) => {
      done("logged", (spool) => spool.logged(revisions));
      return real.logged(revisions);
    },
    sweep: async (now) => {
      done("sweep", (spool) => spool.sweep(now));
      return real.sweep(now);
    },
    retry: async (copy, now) => {
      done("retry", (spool) => spool.retry(copy, now));
      return real.retry(copy, now);
    },
    resend: async (message, copies, now) => {
      done("resend", (spool) => spool.resend(message, copies, now));
      return real.resend(message, copies, now);
    },
    drop: async (copy, now) => {
      done("drop", (spool) => spool.drop(copy, now));
      return real.drop(copy, now);
    },
  };
};

/**
 * Opens a spool that survives being reopened, because changes are repeated: all those that must survive, unless `survives` says
 * otherwise.
 */
export const durableSpool =
  (
    survives = (changes: readonly Change[]): readonly Change[] =>
      changes.filter(({ call }) => call !== "receive" && call !== "take"),
  ): OpenSpool =>
  async ({ limit }) => {
    let changes: Change[] = [];
    const { id } = memorySpool({ limit });
    const open = () => ({ ...remembering(memorySpool({ limit }), changes), id });
    return {
      spool: open(),
      reopen: async () => {
        const repeated = survives(changes);
        changes = [];
        const spool = open();
        for (const { repeat } of repeated) await repeat(spool);
        return spool;
      },
      close: async () => {},
    };
  };
