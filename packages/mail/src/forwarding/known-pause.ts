import type { PortResult } from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { ForwardingPause } from "../spool.ts";

/** What the operator knows of a pause: it is in the spool, where commands find it, and whoever logs and measures is told. */
export type KnownPause = {
  /**
   * Takes up the pause that an earlier process has stored, unless that was done before, and returns it. If it had another reason than the
   * relay, nobody can tell whether that is still true: then there is none.
   */
  load(): PortResult<ForwardingPause | null>;
  /** Makes this known, if it has changed. */
  publish(pause: ForwardingPause | null): PortResult<void>;
  /** Whether the operator wants what is paused to be tried at once. */
  isHurried(): Promise<boolean>;
};

export const knownPause = ({
  spool,
  clock,
  onPause,
}: Pick<MailContext, "spool" | "clock" | "onPause">): KnownPause => {
  let isLoaded = false;
  let known: ForwardingPause | null = null;
  return {
    load: async () => {
      if (isLoaded) return ok(null);
      const stored = await spool.pause();
      if (stored.isErr()) return err(stored.error);
      const pause = stored.value?.reason === "relay" ? stored.value : null;
      const forgotten = pause === stored.value ? ok() : await spool.setPause(null);
      if (forgotten.isErr()) return err(forgotten.error);
      [isLoaded, known] = [true, pause];
      if (pause !== null) onPause({ type: "paused", pause });
      return ok(pause);
    },

    publish: async (pause) => {
      if (pause === known) return ok();
      const stored = await spool.setPause(pause);
      if (stored.isErr()) return err(stored.error);
      const before = known;
      known = pause;
      if (pause !== null) onPause({ type: before?.since === pause.since ? "waiting" : "paused", pause });
      else if (before !== null) {
        const size = await spool.size();
        const waiting = size.map(({ queued }): number | null => queued).unwrapOr(null);
        onPause({
          type: "resumed",
          pause: before,
          milliseconds: Math.max(0, clock.now() - before.since),
          waiting,
        });
      }
      return ok();
    },

    isHurried: async () => {
      if (known === null) return false;
      const stored = (await spool.pause()).unwrapOr(null);
      return stored !== null && stored.nextAt < known.nextAt;
    },
  };
};
