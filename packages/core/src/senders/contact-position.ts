import type { Result } from "neverthrow";
import type { Brand } from "../values/brand.ts";
import type { ContactId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { idOfPosition, position, positionOf, timeOfPosition } from "../values/position.ts";

/** Where a contact is in the list of its alias: its creation time in 16 digits, followed by its id. */
export type ContactPosition = Brand<string, "ContactPosition">;

export const contactPosition = (createdAt: number, id: ContactId): ContactPosition =>
  positionOf(createdAt, id);

export const contactPositionSchema = position<ContactPosition>("must be the `next` of another page");

/** Parses the position of a contact: 16 digits and 26 characters of `a-z2-7`. */
export const parseContactPosition = (input: unknown): Result<ContactPosition, InvalidRequest> =>
  parse(contactPositionSchema, input);

/** The creation time and the id that the position consists of. */
export const partsOfPosition = (
  position: ContactPosition,
): { readonly createdAt: number; readonly id: ContactId } => ({
  createdAt: timeOfPosition(position),
  id: idOfPosition(position),
});
