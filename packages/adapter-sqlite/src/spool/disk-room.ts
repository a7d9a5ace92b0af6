import { statfs } from "node:fs/promises";

const MIB = 2 ** 20;

/** The write-ahead log is cut to this size when it is begun again, in octets. */
export const LOG_SIZE = 8 * MIB;

/** The write-ahead log is written to the database once it has this many octets: until then, the database can still grow by them. */
const UNWRITTEN = 4 * MIB;

/** Mail that arrives, or a notice to the sender of mail that is given up. */
export type Purpose = "mail" | "notice";

/** What arriving mail leaves to notices, in octets: mail that nobody accepts is only forgotten once they are stored. */
const FOR_NOTICES = 2 * MIB;

/**
 * What is left to what is recorded between two sweeps, in octets. What becomes of mail can only be stored with free space, even that its
 * bodies are forgotten, so a spool that filled its disk could never be emptied.
 */
const FOR_OUTCOMES = 2 * MIB;

/** In addition for what is stored: a copy counts for 1 KiB at least, and its outcome takes less than a quarter of that. */
const SHARE_FOR_OUTCOMES = 0.25;

/** What a spool takes up, in octets. */
export type Usage = {
  /** How much of the limit the stored messages take up. */
  readonly octets: number;
  /** Of the database, what nothing is stored in. */
  readonly unused: number;
  /** The file of the write-ahead log. */
  readonly log: number;
};

/** What is free on the disk of a directory, in octets. */
export const freeOn = async (directory: string): Promise<number> => {
  const { bavail, bsize, blocks } = await statfs(directory);
  // Some file systems have no size, such as a tmpfs without a limit.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
};

/** How many octets of messages there is room for. Negative if even what is to become of the stored ones may not fit. */
export type Room = {
  /** In the log and in files. Bodies in the database that are forgotten make none. */
  readonly outside: number;
  /** Also in the database. */
  readonly all: number;
};

export const roomFor = (purpose: Purpose, free: number, { octets, unused, log }: Usage): Room => {
  const outside =
    free + Math.min(log, LOG_SIZE) - LOG_SIZE - UNWRITTEN - (purpose === "mail" ? FOR_NOTICES : 0);
  const reserved = FOR_OUTCOMES + octets * SHARE_FOR_OUTCOMES;
  // A message is written to the log first, and then to the database, which grows only if it has no unused space.
  return { outside, all: Math.min(outside, (outside + unused - reserved) / 2) };
};
