import { err } from "@postern/core";
import type { Outcome } from "../responses/response.ts";

/**
 * How many requests may be worked on at once. Beyond this number, an immediate 503 serves clients better than a long
 * wait. For comparison, a server that handles 10,000 requests a second in 10 ms each works on 100 at once.
 */
const MAX_WORKING = 1000;

/** How many requests of one caller may be read or worked on at once, so that no caller can occupy all places. */
const MAX_PER_CALLER = 64;

/** A request holds a place from its admission to its response. */
export type Place = {
  /** Runs the work for the request. `unavailable` if too many requests are being worked on, or the place was given up. */
  work(run: () => Promise<Outcome>): Promise<Outcome>;
  /**
   * Gives up the place, because the response was handed over or the client is gone. If work has begun, the place is held
   * until the work has ended, so that clients that give up and retry cannot pile up work. Idempotent.
   */
  leave(): void;
};

/**
 * Counts the requests that are being worked on, in total and for each caller; a caller's count includes requests whose
 * bodies are being read. A response that the client is slow to read holds no place.
 */
export const places = () => {
  const held = new Map<string, number>();
  let working = 0;

  const placeOf = (caller: string): Place => {
    let state: "waiting" | "working" | "given up" = "waiting";
    const giveUp = () => {
      state = "given up";
      const others = (held.get(caller) ?? 1) - 1;
      if (others === 0) held.delete(caller);
      else held.set(caller, others);
    };
    return {
      work: async (run) => {
        if (state !== "waiting" || working >= MAX_WORKING) return err({ code: "unavailable" });
        state = "working";
        working += 1;
        try {
          return await run();
        } finally {
          working -= 1;
          giveUp();
        }
      },
      leave: () => {
        if (state === "waiting") giveUp();
      },
    };
  };

  return {
    /** A place for a request of the caller; null if the caller has too many. */
    take: (caller: string): Place | null => {
      const others = held.get(caller) ?? 0;
      if (others >= MAX_PER_CALLER) return null;
      held.set(caller, others + 1);
      return placeOf(caller);
    },
  };
};
