import { randomUUID } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { createFileIn } from "../files.ts";

/** The longest chunk that a body is read in, in octets. */
export const CHUNK = 64 * 1024;

export type BodyFiles = {
  /** Creates a new, empty file, readable and writable by its owner only. */
  create(): Promise<NewBodyFile>;
  read(file: string): AsyncIterable<Uint8Array>;
  /** Idempotent. */
  delete(file: string): void;
  /** Deletes all files but these. */
  deleteOthers(files: ReadonlySet<string>): void;
};

export type NewBodyFile = {
  readonly name: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Puts the content and the name on the disk. */
  flush(): Promise<void>;
  /** Closes and deletes it. */
  abandon(): Promise<void>;
};

export const bodiesIn = (directory: string): string => join(directory, "bodies");

/** The bodies of a spool that are too large for its database, one file each, in a directory of their own. */
export const bodyFiles = (directory: string): BodyFiles => {
  const bodies = bodiesIn(directory);
  const pathOf = (file: string) => join(bodies, file);

  const remove = (file: string) => rmSync(pathOf(file), { force: true });

  return {
    create: async () => {
      const name = randomUUID();
      // Not in a new directory: if that of the spool is gone, it must not seem to be there.
      createFileIn(bodies, name);
      const handle: FileHandle = await open(pathOf(name), "r+");
      return {
        name,
        write: (chunk) => handle.writeFile(chunk),
        flush: async () => {
          await handle.datasync();
          await handle.close();
          // Otherwise a loss of power could leave the row without its file.
          const folder = await open(bodies, "r");
          await folder.sync().finally(() => folder.close());
        },
        abandon: async () => {
          await handle.close().catch(() => {});
          remove(name);
        },
      };
    },
    read: (file) => createReadStream(pathOf(file), { highWaterMark: CHUNK }),
    delete: remove,
    deleteOthers: (files) => {
      mkdirSync(bodies, { recursive: true, mode: 0o700 });
      for (const file of readdirSync(bodies)) if (!files.has(file)) remove(file);
    },
  };
};
