import type { OpenSpool } from "@postern/adapter-contracts";
import { memorySpool } from "@postern/adapter-memory";
import type { Spool } from "@postern/mail";
import { inChunks, readBody, receive } from "../../src/spool/spool-samples.ts";
import { answering, before, type Instead } from "./faults.ts";
import { changedPorts } from "./intercepted.ts";

/** A call that changes a spool, to be repeated on an empty one. */
export type Change = { readonly call: string; repeat(spool: Spool): Promise<unknown> };

/** The spool in memory, which adds the calls to be repeated to `changes`. */
const remembering = (limit: number, changes: Change[]): Spool => {
  const done = (call: string, repeat: Change["repeat"]) => void changes.push({ call, repeat });
  const repeating = <Args extends unknown[], T, E>(
    call: string,
    portOf: (spool: Spool) => (...args: Args) => Promise<unknown>,
  ): Instead<Args, T, E> => before((...args) => done(call, (spool) => portOf(spool)(...args)));
  return changedPorts(memorySpool({ limit }), {
    receive: answering(async (body) => {
      const content = await readBody(body);
      done("receive", (spool) => spool.receive(inChunks(content)));
      return body;
    }),
    keep: async (keep, mailing) => {
      // It can be read only until it is kept.
      const content = await readBody(mailing.body).catch(() => null);
      const kept = await keep(mailing);
      if (kept.isOk() && content !== null) {
        done("keep", async (spool) => spool.keep({ ...mailing, body: await receive(spool, content) }));
      }
      return kept;
    },
    take: repeating("take", ({ take }) => take),
    settle: repeating("settle", ({ settle }) => settle),
    report: repeating("report", ({ report }) => report),
    delay: repeating("delay", ({ delay }) => delay),
    counted: repeating("counted", ({ counted }) => counted),
    logged: repeating("logged", ({ logged }) => logged),
    sweep: repeating("sweep", ({ sweep }) => sweep),
    retry: repeating("retry", ({ retry }) => retry),
    resend: repeating("resend", ({ resend }) => resend),
    drop: repeating("drop", ({ drop }) => drop),
    dropAll: repeating("dropAll", ({ dropAll }) => dropAll),
    retryAll: repeating("retryAll", ({ retryAll }) => retryAll),
    setPause: repeating("setPause", ({ setPause }) => setPause),
    hurry: repeating("hurry", ({ hurry }) => hurry),
  });
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
    const open = () => ({ ...remembering(limit, changes), id });
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
