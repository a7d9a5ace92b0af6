import type { Result } from "neverthrow";
import type { Brand } from "../values/brand.ts";
import type { MessageId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { idOfPosition, position, positionOf, timeOfPosition } from "../values/position.ts";

/**
 * Where a message is in the log of its alias: its arrival time in 16 digits, followed by its id. It identifies the message within the
 * alias, and says where to look for it.
 */
export type MessagePosition = Brand<string, "MessagePosition">;

export const messagePosition = (at: number, id: MessageId): MessagePosition => positionOf(at, id);

export const messagePositionSchema = position<MessagePosition>(
  "must be that of a logged message: 16 digits and 26 characters of a-z and 2-7",
);

/** Parses the position of a logged message: 16 digits and 26 characters of `a-z2-7`. */
export const parseMessagePosition = (input: unknown): Result<MessagePosition, InvalidRequest> =>
  parse(messagePositionSchema, input);

/** The arrival time and the id that the position consists of. */
export const partsOfMessagePosition = (
  position: MessagePosition,
): { readonly at: number; readonly id: MessageId } => ({
  at: timeOfPosition(position),
  id: idOfPosition(position),
});
