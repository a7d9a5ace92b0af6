import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { access, type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { BodyGone } from "@postern/mail";
import { createFileIn, ensureDirectory } from "../file/files.ts";
import type { DiskCalls } from "./disk-calls.ts";

/** The maximum size of the chunks in which a body is read or written, in octets. */
export const CHUNK = 64 * 1024;

export type BodyFiles = {
  /** Creates a new, empty file, readable and writable by its owner only. */
  create(): Promise<NewBodyFile>;
  /** Throws a `BodyGone` if there is no such file. */
  read(file: string): AsyncIterable<Uint8Array>;
};

/** A file on which only one call is made at a time. */
export type NewBodyFile = {
  readonly name: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Flushes the content and the name to the disk. */
  flush(): Promise<void>;
  /** Closes and deletes the file once the call in progress has ended. */
  abandon(): Promise<void>;
};

export const bodiesIn = (directory: string): string => join(directory, "bodies");

/**
 * The bodies of a spool that are too large for its database, one file each, in a directory of their own. For the thread that all sessions
 * share: nothing here blocks it.
 */
export const bodyFiles = (directory: string, disk: DiskCalls): BodyFiles => {
  const bodies = bodiesIn(directory);
  const pathOf = (file: string) => join(bodies, file);

  const openToRead = async (file: string): Promise<FileHandle> => {
    try {
      return await open(pathOf(file), "r");
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT")) throw thrown;
      // If the whole directory was moved, it can be moved back.
      await access(bodies);
      throw new BodyGone();
    }
  };

  return {
    create: async () => {
      const name = randomUUID();
      // Not in a new directory: if the spool's directory is gone, it must not seem to be there.
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
            // Otherwise a power failure could leave the row without its file.
            const folder = await open(bodies, "r");
            await folder.sync().finally(() => folder.close());
          }),
        abandon: async () => {
          // Closing would wait for the last call anyway, but would take up another turn in the meantime.
          await last.catch(() => {});
          await disk.eventually(async () => {
            await handle.close().catch(() => {});
            await rm(pathOf(name), { force: true });
          });
        },
      };
    },
    read: async function* (file) {
      const handle = await disk.inTurn(() => openToRead(file));
      try {
        for (;;) {
          const { bytesRead, buffer } = await disk.inTurn(() => handle.read(Buffer.allocUnsafe(CHUNK)));
          if (bytesRead === 0) return;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        // Not awaited, so that the reader learns of an unresponsive disk without waiting for it.
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

/** Deletes files of bodies. For the spool's own thread, which the disk may block. */
export const bodyRemoval = (directory: string): BodyRemoval => {
  const bodies = bodiesIn(directory);
  const remove = (file: string): void => {
    try {
      rmSync(join(bodies, file), { force: true });
    } catch {
      // The file takes up space, but does no other harm.
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
