import type { Result } from "neverthrow";
import * as z from "zod";
import { ID_PATTERN } from "../mail/mail-ids.ts";
import type { Brand } from "../values/brand.ts";
import type { ContactId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";

/**
 * Where a contact is in the list of its alias: the 16 digits of the time of its creation, and its id. So the order of positions
 * (`compareIds`) is that of creation, and a list can continue after a contact that no longer exists.
 */
export type ContactPosition = Brand<string, "ContactPosition">;

const DIGITS = 16;
const IS_POSITION = new RegExp(`^\\d{${DIGITS}}${ID_PATTERN}$`);

// Safe because times have at most 16 digits, and ids are of this form.
export const contactPosition = (createdAt: number, id: ContactId): ContactPosition =>
  `${String(createdAt).padStart(DIGITS, "0")}${id}` as ContactPosition;

export const contactPositionSchema = z
  .string()
  .regex(IS_POSITION, "must be the `next` of another page")
  .transform((text) => text as ContactPosition);

/** Parses the position of a contact: 16 digits and 26 characters of `a-z2-7`. */
export const parseContactPosition = (input: unknown): Result<ContactPosition, InvalidRequest> =>
  parse(contactPositionSchema, input);

/** The time of creation and the id that the position consists of. */
export const partsOfPosition = (
  position: ContactPosition,
): { readonly createdAt: number; readonly id: ContactId } => ({
  createdAt: Number(position.slice(0, DIGITS)),
  // Safe because the pattern contains that of ids.
  id: position.slice(DIGITS) as ContactId,
});
