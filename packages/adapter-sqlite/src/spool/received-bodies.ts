import { err, ok, type PortResult, type Unavailable } from "@postern/core";
import { BodyGone, type ReceivedBody, type SpoolFull } from "@postern/mail";
import { CausedError, diskError, NO_RESPONSE } from "../file/cause.ts";
import type { BodyFiles, NewBodyFile } from "./body-files.ts";
import type { EvictedFrom, StoredBody } from "./calls.ts";
import type { Purpose, Room } from "./disk-room.ts";
import { inBlocks } from "./in-blocks.ts";
import { storedBody } from "./stored-body.ts";

/** Bodies larger than this, in octets, are stored in files. */
const INLINE = 256 * 1024;

/** The operating system's codes for a full disk, an exceeded quota, or a file that is too large. */
const FULL = ["ENOSPC", "EDQUOT", "EFBIG"];

export const NOT_RECEIVED: Unavailable = {
  code: "unavailable",
  cause: { source: "spool", reason: "the body was discarded or is not from this spool" },
};

const UNREADABLE: Unavailable = {
  code: "unavailable",
  cause: { source: "spool", reason: "the body could not be read" },
};

const isLate = (thrown: unknown): boolean => thrown instanceof CausedError && thrown.cause === NO_RESPONSE;

const failureOf = ({ cause }: CausedError): SpoolFull | Unavailable =>
  FULL.includes(cause.reason) ? { code: "spool_full" } : { code: "unavailable", cause };

type Received = StoredBody & { kept: boolean };

export type ReceivedBodies = {
  receive(chunks: AsyncIterable<Uint8Array>): PortResult<ReceivedBody, SpoolFull>;
  /** What was received; null if it was discarded. */
  find(body: ReceivedBody): StoredBody | null;
  /** From now on the body belongs to a stored message: discarding it does nothing. */
  markKept(body: ReceivedBody): void;
  /**
   * Reserves room for something that will be kept, on the disk and, unless it is a notice, within the limit. The octets count as used
   * until they are released.
   */
  reserve(purpose: Purpose, octets: number): PortResult<void, SpoolFull>;
  release(octets: number): void;
  /** What the spool contains and is receiving, in octets. */
  used(): number;
};

/**
 * Bodies that are arriving, and bodies waiting to be kept.
 *
 * @param stored how many octets belong to stored messages
 * @param room how many octets of messages there is room for on the disk, beside what is stored
 * @param discard deletes a body's file, unless the body was kept
 * @param evict forgets stored bodies of about so many octets that are not needed; returns how many they were. Throws a `CausedError`
 */
export const receivedBodies = ({
  limit,
  timeoutMs,
  files,
  stored,
  room,
  discard,
  evict,
}: {
  readonly limit: number;
  readonly timeoutMs: number;
  readonly files: BodyFiles;
  readonly stored: () => number;
  readonly room: (purpose: Purpose) => Promise<Room>;
  readonly discard: (file: string) => Promise<unknown>;
  readonly evict: (octets: number, from: EvictedFrom) => Promise<number>;
}): ReceivedBodies => {
  const bodies = new WeakMap<ReceivedBody, Received>();
  let pending = 0;
  /** How much of `pending` is in files. */
  let written = 0;

  const release = (octets: number, ofFile = 0) => {
    pending -= octets;
    written -= ofFile;
  };

  /** Waits for the disk, but not past the deadline. */
  const onDisk = async <T>(work: Promise<T>): Promise<T> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CausedError(NO_RESPONSE)), timeoutMs);
    });
    try {
      return await Promise.race([work, late]);
    } catch (thrown) {
      throw diskError(thrown);
    } finally {
      clearTimeout(timer);
    }
  };

  /** Returns false if there is no room. Throws a `CausedError`. */
  const hasReserved = async (purpose: Purpose, octets: number): Promise<boolean> => {
    // Repeated, because others can use what was released.
    for (;;) {
      const { outside, all } = await onDisk(room(purpose));
      const unwritten = pending - written;
      const withinLimit = purpose === "mail" ? limit - stored() - pending : Number.POSITIVE_INFINITY;
      const left = Math.min(withinLimit, all - unwritten);
      if (octets <= left) break;
      const from = octets > outside - unwritten ? "files" : "anywhere";
      if ((await evict(octets - left, from)) === 0) return false;
    }
    pending += octets;
    return true;
  };

  const releaseBody = (body: Received) => release(body.size, "file" in body ? body.size : 0);

  const bodyOf = (received: Received): ReceivedBody => {
    let gone = false;
    const { size, read } = storedBody(received, files);
    const body: ReceivedBody = {
      size,
      read: async function* () {
        if (gone) throw new BodyGone();
        yield* read();
      },
      discard: async () => {
        if (gone || received.kept) return;
        gone = true;
        bodies.delete(body);
        releaseBody(received);
        if ("file" in received) await discard(received.file);
      },
    };
    bodies.set(body, received);
    return body;
  };

  return {
    receive: async (chunks) => {
      const blocks: Uint8Array[] = [];
      let size = 0;
      let inFile = 0;
      let creating: Promise<NewBodyFile> | null = null;
      let file: NewBodyFile | null = null;
      let fits = true;
      /** Deletes the file, even if it is created too late. Waits for the disk as long as that takes. */
      const abandon = async () => {
        try {
          await (await creating)?.abandon();
        } catch {
          // It was not created, or the next start deletes it.
        }
      };
      /**
       * Releases the octets before the file is deleted, since that can take as long as the disk does not respond. This makes no room on the
       * disk, whose free space is measured: what was written takes up space until the file is gone. Only the limit can be exceeded in the
       * meantime, and not by much, because a disk that does not respond gets no other files. The block that may still be written does not
       * matter either.
       */
      const giveUp = async (why: unknown) => {
        release(size, inFile);
        const abandoned = abandon();
        if (!isLate(why)) await onDisk(abandoned).catch(() => {});
      };
      const write = async (to: NewBodyFile, block: Uint8Array) => {
        await onDisk(to.write(block));
        inFile += block.length;
        written += block.length;
      };
      try {
        for await (const block of inBlocks(chunks)) {
          fits = await hasReserved("mail", block.length);
          if (!fits) break;
          size += block.length;
          if (file === null && size > INLINE) {
            creating = files.create();
            file = await onDisk(creating);
            for (const earlier of blocks.splice(0)) await write(file, earlier);
          }
          if (file === null) blocks.push(block);
          else await write(file, block);
        }
        if (!fits) {
          await giveUp(null);
          return err({ code: "spool_full" });
        }
        if (file === null) return ok(bodyOf({ size, content: Buffer.concat(blocks), kept: false }));
        await onDisk(file.flush());
        return ok(bodyOf({ size, file: file.name, kept: false }));
      } catch (thrown) {
        await giveUp(thrown);
        return err(thrown instanceof CausedError ? failureOf(thrown) : UNREADABLE);
      }
    },

    find: (body) => bodies.get(body) ?? null,

    markKept: (body) => {
      const received = bodies.get(body);
      if (received === undefined || received.kept) return;
      received.kept = true;
      // It counts as stored now.
      releaseBody(received);
    },

    reserve: async (purpose, octets) => {
      try {
        return (await hasReserved(purpose, octets)) ? ok() : err({ code: "spool_full" });
      } catch (thrown) {
        return err(thrown instanceof CausedError ? failureOf(thrown) : UNREADABLE);
      }
    },
    release,
    used: () => stored() + pending,
  };
};
