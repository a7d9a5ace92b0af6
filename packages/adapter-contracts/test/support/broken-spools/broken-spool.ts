import type { OpenSpool } from "@postern/adapter-contracts";
import { memorySpool } from "@postern/adapter-memory";
import type { CopyId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { BodyGone, type Copy, type DueCopy, type Spool } from "@postern/mail";
import { answering, type InsteadOf } from "../faults.ts";
import { type Changes, changedPorts } from "../intercepted.ts";

/** A spool with one flaw: a mistake that the author of an adapter might make. */
export type BrokenSpool = {
  readonly flaw: string;
  /** The checks that must notice it, each on its own. */
  readonly noticedBy: readonly string[];
  readonly open: OpenSpool;
};

export const MODEL =
  "after every step of a random sequence of calls and crashes, the spool matches a plain model";

/** What a flaw changes. It gets the correct spool, a set in which it can remember what it has seen, and the spool's limit. */
export type Fault = Changes<Spool> | ((spool: Spool, seen: Set<string>, limit: number) => Changes<Spool>);

/** The correct spool, except for what the fault changes. */
export const flaw = (flaw: string, noticedBy: readonly string[], fault: Fault): BrokenSpool => ({
  flaw,
  noticedBy,
  open: async ({ limit }) => {
    const spool = memorySpool({ limit });
    const changes = typeof fault === "function" ? fault(spool, new Set(), limit) : fault;
    return { spool: changedPorts(spool, changes), close: async () => {} };
  },
});

/** Likewise for flaws of one kind: `faultOf` makes the fault of each. */
export const flawsBy =
  <Args extends unknown[]>(faultOf: (...args: Args) => Fault) =>
  (flawed: string, noticedBy: readonly string[], ...args: Args): BrokenSpool =>
    flaw(flawed, noticedBy, faultOf(...args));

/** The correct spool, with another limit than the one that is wanted. */
export const limitedTo = (
  flaw: string,
  noticedBy: readonly string[],
  limitOf: (limit: number) => number,
): BrokenSpool => ({
  flaw,
  noticedBy,
  open: async ({ limit }) => ({ spool: memorySpool({ limit: limitOf(limit) }), close: async () => {} }),
});

/** Everything, in tests. */
export const ALL = 10_000;

/** Changes the copies that are handed out. */
export const taking = (
  change: (copies: readonly DueCopy[]) => readonly DueCopy[],
): InsteadOf<Spool["take"]> => answering(({ copies, more }) => ({ copies: change(copies), more }));

/** The due copy, when its body is gone. */
export const withoutBody = (due: DueCopy): DueCopy => ({
  ...due,
  body: {
    ...due.body,
    read: () => {
      throw new BodyGone();
    },
  },
});

export const copyOf = async (spool: Spool, id: CopyId): Promise<Copy | undefined> =>
  valueOf(await spool.find(id))?.copy;

/** All chunks as one. If they are not copied, they are kept instead of their content until the last one has arrived. */
export const wholeOf = async (
  chunks: AsyncIterable<Uint8Array>,
  copied = (chunk: Uint8Array): Uint8Array => chunk.slice(),
): Promise<Uint8Array> => {
  const whole: Uint8Array[] = [];
  for await (const chunk of chunks) whole.push(copied(chunk));
  return Buffer.concat(whole);
};
