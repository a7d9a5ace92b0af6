import { statfs } from "node:fs/promises";
import { LONG_LOG } from "../file/log-file.ts";

const MIB = 2 ** 20;

/** The size that the write-ahead log can reach, in octets: `LONG_LOG`, and the transaction that exceeds it. */
export const LOG_SIZE = 8 * MIB;

/** Arriving mail, or a notice to the sender of mail that was not delivered. */
export type Purpose = "mail" | "notice";

/** The space that arriving mail leaves for notices, in octets: mail that nobody accepts is only forgotten once its notices are stored. */
const FOR_NOTICES = 2 * MIB;

/**
 * The space reserved for what is recorded between two sweeps, in octets. Recording what becomes of mail takes free space, even recording
 * that its bodies are forgotten, so a spool that filled its disk could never be emptied.
 */
const FOR_OUTCOMES = 2 * MIB;

/** Also reserved, as a share of what is stored: a copy counts for at least 1 KiB, and its outcome takes less than a quarter of that. */
const SHARE_FOR_OUTCOMES = 0.25;

/** The space that a spool takes up, in octets. */
export type Usage = {
  /** How much of the limit the stored messages take up. */
  readonly octets: number;
  /** Unused space in the database. */
  readonly unused: number;
  /** The size of the write-ahead log file. */
  readonly log: number;
};

/** The free space on the disk of a directory, in octets. */
export const freeOn = async (directory: string): Promise<number> => {
  const { bavail, bsize, blocks } = await statfs(directory);
  // Some file systems have no size, such as a tmpfs without a limit.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
};

/** How many octets of messages there is room for. Negative if not even the outcomes of the stored messages are sure to fit. */
export type Room = {
  /** Room in the log and in files. Forgetting bodies in the database frees none of it. */
  readonly outside: number;
  /** Room in the database as well. */
  readonly all: number;
};

export const roomFor = (purpose: Purpose, free: number, { octets, unused, log }: Usage): Room => {
  // Until a long log is written to the database, that can still grow by as much.
  const outside =
    free + Math.min(log, LOG_SIZE) - LOG_SIZE - LONG_LOG - (purpose === "mail" ? FOR_NOTICES : 0);
  const reserved = FOR_OUTCOMES + octets * SHARE_FOR_OUTCOMES;
  // A message is written to the log first, and then to the database, which grows only if it has no unused space.
  return { outside, all: Math.min(outside, (outside + unused - reserved) / 2) };
};
