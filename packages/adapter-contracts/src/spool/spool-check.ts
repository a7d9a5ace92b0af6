import type { Spool } from "@postern/mail";
import { guarding } from "../guard-ports.ts";

export type OpenedSpool = {
  readonly spool: Spool;
  /**
   * Opens the spool again with what was stored when the call began, as after a crash at that moment. The spool that was open
   * before is no longer used. Absent if nothing survives the process.
   */
  reopen?(): Promise<Spool>;
  close(): Promise<void>;
};

/** Opens a new, empty spool with this limit, in octets. Spools that are open at the same time share nothing. */
export type OpenSpool = (options: { readonly limit: number }) => Promise<OpenedSpool>;

/** One promise that every spool must keep. `run` opens spools and closes each, and rejects if one breaks the promise. */
export type SpoolCheck = { readonly name: string; run(open: OpenSpool): Promise<void> };

export type SpoolWorld = {
  /** The spool, as last opened. */
  readonly spool: Spool;
  /** Opens it again; null if nothing survives the process. */
  readonly reopen: (() => Promise<void>) | null;
  /** Closes it, and opens a new, empty one. */
  renew(): Promise<void>;
};

const guardSpool = (spool: Spool, violations: Error[]): Spool => {
  const guard = guarding(violations);
  return {
    id: spool.id,
    receive: guard("receive", (...args) => spool.receive(...args)),
    keep: guard("keep", (...args) => spool.keep(...args)),
    hasRoom: guard("hasRoom", (...args) => spool.hasRoom(...args)),
    largest: guard("largest", (...args) => spool.largest(...args)),
    find: guard("find", (...args) => spool.find(...args)),
    findAll: guard("findAll", (...args) => spool.findAll(...args)),
    take: guard("take", (...args) => spool.take(...args)),
    nextDue: guard("nextDue", (...args) => spool.nextDue(...args)),
    settle: guard("settle", (...args) => spool.settle(...args)),
    report: guard("report", (...args) => spool.report(...args)),
    delay: guard("delay", (...args) => spool.delay(...args)),
    uncounted: guard("uncounted", (...args) => spool.uncounted(...args)),
    counted: guard("counted", (...args) => spool.counted(...args)),
    unlogged: guard("unlogged", (...args) => spool.unlogged(...args)),
    logged: guard("logged", (...args) => spool.logged(...args)),
    sweep: guard("sweep", (...args) => spool.sweep(...args)),
    list: guard("list", (...args) => spool.list(...args)),
    retry: guard("retry", (...args) => spool.retry(...args)),
    resend: guard("resend", (...args) => spool.resend(...args)),
    drop: guard("drop", (...args) => spool.drop(...args)),
    retryAll: guard("retryAll", (...args) => spool.retryAll(...args)),
    setPause: guard("setPause", (...args) => spool.setPause(...args)),
    pause: guard("pause", () => spool.pause()),
    hurry: guard("hurry", (...args) => spool.hurry(...args)),
    dropAll: guard("dropAll", (...args) => spool.dropAll(...args)),
    size: guard("size", (...args) => spool.size(...args)),
  };
};

/** Enough for every check that is not about the limit, in octets. */
const LIMIT = 64 * 1024 * 1024;

/** Makes a check from `body`, which throws if the spool breaks the promise. */
export const spoolCheck = (
  name: string,
  body: (world: SpoolWorld) => Promise<void>,
  { limit = LIMIT }: { readonly limit?: number } = {},
): SpoolCheck => ({
  name,
  run: async (open) => {
    const violations: Error[] = [];
    let opened = await open({ limit });
    let spool = guardSpool(opened.spool, violations);
    const world: SpoolWorld = {
      get spool() {
        return spool;
      },
      reopen:
        opened.reopen === undefined
          ? null
          : async () => {
              spool = guardSpool((await opened.reopen?.()) ?? opened.spool, violations);
            },
      renew: async () => {
        await opened.close();
        opened = await open({ limit });
        spool = guardSpool(opened.spool, violations);
      },
    };
    const [ran] = await Promise.allSettled([body(world)]);
    const [closed] = await Promise.allSettled([opened.close()]);
    for (const violation of violations) throw violation;
    for (const outcome of [ran, closed]) if (outcome.status === "rejected") throw outcome.reason;
  },
});
