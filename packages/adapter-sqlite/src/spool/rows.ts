import { MAIL_OUTCOMES, parseEventId } from "@postern/core";
import {
  Copy,
  type ForwardingPause,
  type Message,
  parseCopy,
  parseMessage,
  type UncountedOutcome,
} from "@postern/mail";
import { DamagedRow, type Row, stored } from "../file/row.ts";
import type { StoredBody } from "./calls.ts";

/* Parsers for the rows of a spool. They throw a `DamagedRow` for a row that does not parse. */

export const latin1Of = (value: unknown): string =>
  Buffer.from(value instanceof Uint8Array ? value : []).toString("latin1");

export const messageOf = (row: Row): Message =>
  stored("messages", () =>
    parseMessage({
      ...JSON.parse(String(row["facts"])),
      header: latin1Of(row["header"]),
    }),
  );

export const copyOf = (row: Row): Copy =>
  stored("copies", () =>
    parseCopy({
      id: row["id"],
      message: row["message"],
      to: row["mailbox"],
      purpose: JSON.parse(String(row["purpose"])),
      state: row["state"],
      attempts: row["attempts"],
      nextAt: row["next_at"],
      since: row["since"],
      reason: row["reason"],
      deliveredAt: row["delivered_at"],
    } satisfies Record<keyof Copy, unknown>),
  );

export const bodyOf = ({ size, content, file }: Row): StoredBody => {
  if (content instanceof Uint8Array) return { size: Number(size), content };
  return { size: Number(size), file: String(file) };
};

export const PAUSE = "SELECT reason, source, cause, since, next_at FROM pause";

/** The pause in the row of `PAUSE`; null if there is none. A damaged one, which nothing depends on, is none. */
export const pauseOf = (row: Row | undefined): ForwardingPause | null => {
  const { reason, source, cause, since, next_at } = row ?? {};
  const known = (["relay", "refusals", "store"] as const).find((each) => each === reason);
  if (known === undefined) return null;
  return {
    reason: known,
    cause: source == null ? null : { source: String(source), reason: String(cause) },
    since: Number(since),
    nextAt: Number(next_at),
  };
};

export const uncountedOf = (row: Row): UncountedOutcome => {
  const outcome = MAIL_OUTCOMES.find((each) => each === row["outcome"]);
  if (outcome === undefined) throw new DamagedRow("outcomes");
  const id = stored("outcomes", () => parseEventId(row["event"]));
  const uncounted = Copy.uncounted(copyOf(row), { id, outcome, at: Number(row["at"]) });
  if (uncounted === null) throw new DamagedRow("outcomes");
  return uncounted;
};
