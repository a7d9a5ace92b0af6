import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { createFileIn, ensureDirectory } from "../files.ts";
import type { DiskCalls } from "./disk-calls.ts";

/** The longest chunk that a body is read or written in, in octets. */
export const CHUNK = 64 * 1024;

export type BodyFiles = {
  /** Creates a new, empty file, readable and writable by its owner only. */
  create(): Promise<NewBodyFile>;
  read(file: string): AsyncIterable<Uint8Array>;
};

/** A file that one call at a time is made for. */
export type NewBodyFile = {
  readonly name: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Puts the content and the name on the disk. */
  flush(): Promise<void>;
  /** Closes and deletes it, once the call that is under way has ended. */
  abandon(): Promise<void>;
};

export const bodiesIn = (directory: string): string => join(directory, "bodies");

/**
 * The bodies of a spool that are too large for its database, one file each, in a directory of their own. For the thread that all sessions
 * share: nothing blocks it.
 */
export const bodyFiles = (directory: string, disk: DiskCalls): BodyFiles => {
  const bodies = bodiesIn(directory);
  const pathOf = (file: string) => join(bodies, file);

  return {
    create: async () => {
      const name = randomUUID();
      // Not in a new directory: if that of the spool is gone, it must not seem to be there.
      const handle = await disk.inTurn(() => createFileIn(bodies, name));
      let last = Promise.resolve();
      const next = (work: () => Promise<void>) => {
        last = disk.inTurn(work);
        return last;
      };
      return {
        name,
        write: (chunk) => next(() => handle.writeFile(chunk)),
        flush: () =>
          next(async () => {
            await handle.datasync();
            await handle.close();
            // Otherwise a loss of power could leave the row without its file.
            const folder = await open(bodies, "r");
            await folder.sync().finally(() => folder.close());
          }),
        abandon: async () => {
          // Closing waits for it anyway, but would take up another turn meanwhile.
          await last.catch(() => {});
          await disk.eventually(async () => {
            await handle.close().catch(() => {});
            await rm(pathOf(name), { force: true });
          });
        },
      };
    },
    read: async function* (file) {
      const handle = await disk.inTurn(() => open(pathOf(file), "r"));
      try {
        for (;;) {
          const { bytesRead, buffer } = await disk.inTurn(() => handle.read(Buffer.allocUnsafe(CHUNK)));
          if (bytesRead === 0) return;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        // The reader learns of a disk that does not respond without waiting for it.
        disk.eventually(() => handle.close()).catch(() => {});
      }
    },
  };
};

export type BodyRemoval = {
  /** Deletes a file that no row names. If it cannot be deleted, each start tries again. Idempotent. */
  delete(file: string): void;
  /** Deletes all files but these. */
  deleteOthers(files: ReadonlySet<string>): void;
};

/** Deletes the same files. For the spool's own thread: the disk may block it. */
export const bodyRemoval = (directory: string): BodyRemoval => {
  const bodies = bodiesIn(directory);
  const remove = (file: string): void => {
    try {
      rmSync(join(bodies, file), { force: true });
    } catch {
      // It takes up space, and nothing else.
    }
  };

  return {
    delete: remove,
    deleteOthers: (files) => {
      ensureDirectory(bodies);
      for (const file of readdirSync(bodies)) if (!files.has(file)) remove(file);
    },
  };
};
