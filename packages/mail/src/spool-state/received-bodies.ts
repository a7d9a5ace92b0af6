import { err, ok, type PortResult, type Unavailable } from "@postern/core";
import { BodyGone, type MailBody } from "../message/mail-body.ts";
import type { ReceivedBody, SpoolFull } from "../spool.ts";
import type { Room } from "./room.ts";

/** The maximum size of the chunks in which a body is read, in octets. */
const CHUNK = 64 * 1024;

const UNREADABLE: Unavailable = {
  code: "unavailable",
  cause: { source: "spool", reason: "the body could not be read" },
};

/** Octets in memory that can be removed. Those that are `kept` belong to a message. */
export type HeldBody = { readonly size: number; octets: Uint8Array | null; kept: boolean };

export const bodyOf = (held: HeldBody): MailBody => ({
  size: held.size,
  read: async function* () {
    const present = (): Uint8Array => {
      if (held.octets === null) throw new BodyGone();
      return held.octets;
    };
    // An empty body has no chunk at which its absence would be noticed.
    present();
    for (let at = 0; at < held.size; at += CHUNK) yield present().slice(at, at + CHUNK);
  },
});

export type ReceivedBodies = {
  /** `Spool.receive` */
  receive(chunks: AsyncIterable<Uint8Array>): PortResult<ReceivedBody, SpoolFull>;
  /** A received body, which its `discard` no longer removes; null if the body was discarded or is not from here. */
  keep(body: ReceivedBody): HeldBody | null;
};

/** Bodies in memory that were received, but not kept yet. */
export const receivedBodies = (space: Pick<Room, "reserve" | "release">): ReceivedBodies => {
  const received = new WeakMap<ReceivedBody, HeldBody>();

  return {
    receive: async (chunks) => {
      // Grows ahead of need: a client can send octet by octet, and each chunk would take about 250 octets by itself.
      let buffer = new ArrayBuffer(CHUNK);
      let size = 0;
      let fits = true;
      try {
        for await (const chunk of chunks) {
          fits = space.reserve(chunk.length);
          if (!fits) break;
          const end = size + chunk.length;
          if (end > buffer.byteLength) buffer = buffer.transfer(2 * end);
          new Uint8Array(buffer).set(chunk, size);
          size = end;
        }
      } catch {
        space.release(size);
        return err(UNREADABLE);
      }
      if (!fits) {
        space.release(size);
        return err({ code: "spool_full" });
      }
      const held: HeldBody = { size, octets: new Uint8Array(buffer.transfer(size)), kept: false };
      const body: ReceivedBody = {
        ...bodyOf(held),
        discard: async () => {
          if (held.kept || !received.delete(body)) return;
          held.octets = null;
          space.release(size);
        },
      };
      received.set(body, held);
      return ok(body);
    },

    keep: (body) => {
      const held = received.get(body);
      if (held !== undefined) held.kept = true;
      return held ?? null;
    },
  };
};
