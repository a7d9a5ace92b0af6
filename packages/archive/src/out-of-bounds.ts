import { type InputIssue, MAX_API_KEY_NAME_LENGTH, MAX_WEBHOOK_URL_LENGTH } from "@postern/core";
import { isObject } from "./dropped-field.ts";

/** The names of counters. Every other number in a record is a time, in epoch milliseconds. */
const COUNTED: readonly string[] = ["version", "count", "messagesLeft"];

/**
 * More than a counter ever reaches (68 years at one a second), and far below 2^53, where adding 1 has no effect: an alias
 * with such a version could be stored, but never changed again.
 */
const MAX_COUNT = 2 ** 31 - 1;

/**
 * How far a time may be ahead of the clock: a day, because clocks differ. The last time of a counter never goes back, and
 * a verification message sent "in the future" would hold back the next one until then.
 */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** The domain never writes a longer text or list. Larger records might not fit into a DynamoDB item (400 KB). */
const MAX_TEXT_LENGTH = 500;
/** The maximum length of a text, if other than `MAX_TEXT_LENGTH`. */
const MAX_LENGTHS: Readonly<Record<string, number>> = {
  url: MAX_WEBHOOK_URL_LENGTH,
  name: MAX_API_KEY_NAME_LENGTH,
};
const MAX_ITEMS = 1000;

/**
 * The texts, lists, counters and times of a record that are out of bounds. Looks at all fields, whatever their names, so
 * that new fields and kinds of records are covered too. `ahead` says which times may be further ahead of the clock than others, by their
 * names, in milliseconds.
 */
export function* outOfBounds(
  value: unknown,
  now: number,
  ahead: Readonly<Record<string, number>> = {},
  path: readonly string[] = [],
): Generator<InputIssue> {
  if (typeof value === "string") {
    const longest = MAX_LENGTHS[path.at(-1) ?? ""] ?? MAX_TEXT_LENGTH;
    if (value.length > longest) yield { path, reason: `must be at most ${longest} characters` };
    else if (!value.isWellFormed() || /\p{Cc}/u.test(value))
      yield { path, reason: "must be text without control characters" };
  } else if (typeof value === "number") {
    const name = path.at(-1) ?? "";
    const isCounted = COUNTED.includes(name);
    if (isCounted && value > MAX_COUNT) yield { path, reason: `must be at most ${MAX_COUNT}` };
    if (!isCounted && value > now + (ahead[name] ?? MAX_AHEAD_MS))
      yield { path, reason: "must not be in the future" };
  } else if (Array.isArray(value) && value.length > MAX_ITEMS) {
    yield { path, reason: `must have at most ${MAX_ITEMS} items` };
  } else if (isObject(value)) {
    for (const [name, field] of Object.entries(value)) yield* outOfBounds(field, now, ahead, [...path, name]);
  }
}
