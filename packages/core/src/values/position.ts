import * as z from "zod";
import { ID_PATTERN } from "./base32-ids.ts";
import type { Brand } from "./brand.ts";

/*
 * Where an item is in a list ordered by time: a time in epoch milliseconds, in 16 digits, followed by an id of 26 characters of `a-z2-7`.
 * So the order of positions (`compareIds`) is the order of the times, and a list can continue after an item that no longer exists.
 */

const DIGITS = 16;
const IS_POSITION = new RegExp(`^\\d{${DIGITS}}${ID_PATTERN}$`);

// Safe because times have at most 16 digits, and the ids are of this form.
export const positionOf = <Position extends Brand<string, string>>(at: number, id: string): Position =>
  `${String(at).padStart(DIGITS, "0")}${id}` as Position;

/** @param reason what a position must be */
export const position = <Position extends Brand<string, string>>(reason: string) =>
  z
    .string()
    .regex(IS_POSITION, reason)
    .transform((text) => text as Position);

export const timeOfPosition = (position: Brand<string, string>): number => Number(position.slice(0, DIGITS));

// Safe because the pattern contains the pattern of ids.
export const idOfPosition = <Id extends Brand<string, string>>(position: Brand<string, string>): Id =>
  position.slice(DIGITS) as Id;
