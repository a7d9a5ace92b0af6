import type { OpenSpool } from "@postern/adapter-contracts";
import { memorySpool } from "@postern/adapter-memory";
import type { Spool } from "@postern/mail";

/** A spool with one flaw: a mistake that the author of an adapter might make. */
export type BrokenSpool = {
  readonly flaw: string;
  /** The checks that must notice it, each on its own. */
  readonly noticedBy: readonly string[];
  readonly open: OpenSpool;
};

export const MODEL =
  "after every step of a random sequence of calls and crashes, the spool matches a plain model";

/** The correct spool with some ports replaced. */
export const spool =
  (flawed: (real: Spool) => Partial<Spool>): OpenSpool =>
  async ({ limit }) => {
    const real = memorySpool({ limit });
    return { spool: { ...real, ...flawed(real) }, close: async () => {} };
  };
