import type { Unavailable } from "@postern/core";

/**
 * How many requests may be worked on at once. Beyond this number, an immediate 503 serves clients better than a long
 * wait. For comparison, a server that handles 10,000 requests a second in 10 ms each works on 100 at once.
 */
const MAX_WORKING = 1000;

/**
 * How many requests of one caller may be under way at once, so that no caller can use up what others need. It also bounds
 * the responses stored for a caller that does not read them.
 */
const MAX_PER_CALLER = 64;

const because = (reason: string): Unavailable => ({
  code: "unavailable",
  cause: { source: "postern", reason },
});
const TOO_MUCH_WORK = because(`${MAX_WORKING} requests are being worked on`);

/** The outcome for a client that is no longer waiting for one. */
export const CLIENT_GONE = because("the client is gone");

/** What a request holds from its admission until it is over. */
export type Place = {
  /** Called before the work for the request. Returns why it must not begin; null if it may, and then `endWork` must be called after it. */
  beginWork(): Unavailable | null;
  endWork(): void;
  /**
   * Releases the place, because the response was sent completely or the client is gone. If work has begun, the place is
   * held until it has ended, so that clients that give up and retry cannot pile up work. Idempotent.
   */
  leave(): void;
};

/**
 * Counts all requests that are being worked on, and for each caller also those whose bodies are being read, or whose
 * responses are being sent. A client that reads slowly takes nothing from others.
 */
export const places = () => {
  const held = new Map<string, number>();
  let working = 0;

  const placeOf = (caller: string): Place => {
    let state: "waiting" | "working" | "done" = "waiting";
    let left = false;
    const giveUp = () => {
      const others = (held.get(caller) ?? 1) - 1;
      if (others === 0) held.delete(caller);
      else held.set(caller, others);
    };
    return {
      beginWork: () => {
        if (left || state !== "waiting") return CLIENT_GONE;
        if (working >= MAX_WORKING) return TOO_MUCH_WORK;
        state = "working";
        working += 1;
        return null;
      },
      endWork: () => {
        working -= 1;
        state = "done";
        if (left) giveUp();
      },
      leave: () => {
        if (left) return;
        left = true;
        if (state !== "working") giveUp();
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
