import { createHash, randomInt } from "node:crypto";
import { type EventId, err, ok } from "@postern/core";
import { EVENT_RETENTION } from "@postern/core/store";
import * as z from "zod";
import { itemParser } from "./item.ts";

/*
 * A tally item remembers which events it has counted, so that one conditional update counts an event and remembers it. An event that finds
 * no room gets an item of its own, in one transaction with the count.
 *
 * Each is remembered with a mark: until when, in microseconds, of which the last six digits are random. So a call whose response was lost
 * recognizes what it has written, and a change is noticed even if an event was forgotten and counted again in the meantime.
 */

/**
 * How many events a tally item has room for. With ids of 36 characters it stays within 1 KB, beyond which each update would cost a second
 * write unit.
 */
export const ROOM = 32;

const EVENTS = "events";

/** Among the events, the mark until when there may be some with items of their own. The names of events are longer. */
const APART = "apart";

/** 72 bits of a hash. An event is mistaken for one of those that an item remembers with a chance of one in 10^20. */
const nameOf = (event: EventId): string =>
  createHash("sha256").update(event).digest("base64url").slice(0, 12);

/** The marks of what a tally item remembers, by name. */
type Marks = Readonly<Record<string, number>>;

const Stored = z.record(z.string(), z.int().positive()).optional();

/** What the tally item remembers; undefined if it is from before it did that, when every event had an item of its own. */
export const parseRemembered = itemParser<Marks | undefined>((item) => {
  const { success, data } = Stored.safeParse(item[EVENTS]);
  return success ? ok(data) : err({ code: "corrupt" });
});

/** The attribute of a tally item for which no event has been counted yet. */
export const NOTHING_REMEMBERED = { [EVENTS]: {} };

/** The mark of an event that is counted now. */
export const newMark = (now: number): number =>
  Math.ceil((now + EVENT_RETENTION) / 1_000) * 1_000_000 + randomInt(1_000_000);

/** Marks up to this one are over. */
const over = (now: number): number => now * 1_000;

/** The mark with which the event is remembered; undefined if it is not. */
export const markOf = (marks: Marks | undefined, event: EventId, now: number): number | undefined => {
  const mark = marks?.[nameOf(event)];
  return mark !== undefined && mark > over(now) ? mark : undefined;
};

/** What is remembered at this time. */
const current = (marks: Marks | undefined, now: number): Marks =>
  Object.fromEntries(Object.entries(marks ?? {}).filter(([, mark]) => mark > over(now)));

/** Whether there is no room for another event. */
export const isFull = (marks: Marks | undefined, now: number): boolean =>
  Object.keys(current(marks, now)).length >= ROOM;

/** Whether events that are not among the marks may have items of their own. */
export const mayBeApart = (marks: Marks | undefined, now: number): boolean =>
  marks === undefined || APART in current(marks, now);

/** How an update of a tally item remembers the event that it counts, and when that is refused. */
export type Remembering = {
  readonly set: string;
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
};

const isOver = (path: string): string => `(attribute_not_exists(${path}) OR ${path} <= :now)`;

/** Refused if the event is remembered, or may have an item of its own, or there is no room. */
export const inTally = (event: EventId, mark: number, now: number): Remembering => ({
  set: "#events.#event = :mark",
  condition: `${isOver("#events.#event")} AND ${isOver("#events.#apart")} AND size(#events) < :room`,
  names: { "#events": EVENTS, "#event": nameOf(event), "#apart": APART },
  values: { ":mark": mark, ":now": over(now), ":room": ROOM },
});

/** Replaces what was read, and drops what is over. Refused if it has changed since. */
export const inRead = (marks: Marks | undefined, event: EventId, mark: number, now: number): Remembering => {
  const unknown = marks === undefined ? { [APART]: mark } : {};
  return {
    set: "#events = :events",
    condition: marks === undefined ? "attribute_not_exists(#events)" : "#events = :read",
    names: { "#events": EVENTS },
    values: {
      ":events": { ...current(marks, now), ...unknown, [nameOf(event)]: mark },
      ...(marks === undefined ? {} : { ":read": marks }),
    },
  };
};

/** For an event with an item of its own. Refused if the event is remembered here. */
export const apart = (event: EventId, mark: number, now: number): Remembering => ({
  set: "#events.#apart = :mark",
  condition: `attribute_exists(#events) AND ${isOver("#events.#event")}`,
  names: { "#events": EVENTS, "#event": nameOf(event), "#apart": APART },
  values: { ":mark": mark, ":now": over(now) },
});
