import { err, ok, type PortResult } from "@postern/core";
import { BodyGone, type MailBody, type ReceivedBody, type SpoolFull } from "@postern/mail";

/** The maximum size of the chunks in which a body is read, in octets. */
const CHUNK = 64 * 1024;

/** Counts octets, up to a limit. */
export type Room = {
  readonly used: () => number;
  /** Returns whether there was room for the octets, or room could be made; if so, they count as used. */
  reserve(octets: number): boolean;
  /** Counts the octets as used even beyond the limit. */
  force(octets: number): void;
  release(octets: number): void;
};

/** @param evict called if so many octets have to be released before others can be used */
export const room = (limit: number, evict: (octets: number) => void): Room => {
  let used = 0;
  return {
    used: () => used,
    reserve: (octets) => {
      if (used + octets > limit) evict(used + octets - limit);
      if (used + octets > limit) return false;
      used += octets;
      return true;
    },
    force: (octets) => {
      used += octets;
    },
    release: (octets) => {
      used -= octets;
    },
  };
};

/** Octets that can be removed. Those that are `kept` belong to a message. */
export type Content = { readonly size: number; octets: Uint8Array | null; kept: boolean };

export const bodyOf = (content: Content): MailBody => ({
  size: content.size,
  read: async function* () {
    const present = (): Uint8Array => {
      if (content.octets === null) throw new BodyGone();
      return content.octets;
    };
    // An empty body has no chunk at which its absence would be noticed.
    present();
    for (let at = 0; at < content.size; at += CHUNK) yield present().slice(at, at + CHUNK);
  },
});

export type Bodies = {
  receive(chunks: AsyncIterable<Uint8Array>): PortResult<ReceivedBody, SpoolFull>;
  /** The content of a received body, which its `discard` no longer removes; null if the body was discarded or is not from here. */
  keep(body: ReceivedBody): Content | null;
};

/** Bodies that were received, but not kept yet. */
export const memoryBodies = (space: Room): Bodies => {
  const received = new WeakMap<ReceivedBody, Content>();

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
        return err({
          code: "unavailable",
          cause: { source: "memory", reason: "the body could not be read" },
        });
      }
      if (!fits) {
        space.release(size);
        return err({ code: "spool_full" });
      }
      const content: Content = { size, octets: new Uint8Array(buffer.transfer(size)), kept: false };
      const body: ReceivedBody = {
        ...bodyOf(content),
        discard: async () => {
          if (content.kept || !received.delete(body)) return;
          content.octets = null;
          space.release(size);
        },
      };
      received.set(body, content);
      return ok(body);
    },

    keep: (body) => {
      const content = received.get(body);
      if (content !== undefined) content.kept = true;
      return content ?? null;
    },
  };
};
