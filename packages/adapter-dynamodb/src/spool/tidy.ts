import { type MessageId, parseMessageId } from "@postern/core";
import type { Lease } from "./lease.ts";
import type { Objects } from "./objects.ts";

const DAY = 24 * 60 * 60 * 1_000;

/** So that the names are in the order of their epochs. */
const EPOCH_DIGITS = 12;

const folder = (epoch: number): string => `${String(epoch).padStart(EPOCH_DIGITS, "0")}/`;

/** The name of the object of the message with this id, kept in this epoch of the lease. */
export const objectName = (epoch: number, message: MessageId): string => folder(epoch) + message;

/**
 * Looks once a day for objects that belong to no message: those of messages that were never stored, or were forgotten just before the
 * process ended.
 *
 * @param isNeeded whether a message that is stored leads to the object of this name
 * @returns a function that looks at the next 1,000 objects, and returns whether there are more
 */
export const tidying = (
  objects: Pick<Objects, "list" | "remove">,
  isNeeded: (name: string, message: MessageId) => boolean,
) => {
  let last = "";
  return async (lease: Lease, now: number): Promise<boolean> => {
    if (now < lease.tidiedAt + DAY) return false;
    const listed = await objects.list(last);
    if (listed.isErr()) return false;
    // Whoever has a later lease than this one may need objects that were stored since.
    const earlier = listed.value.filter((name) => name < folder(lease.epoch));
    await objects.remove(
      earlier.filter((name) => {
        const message = parseMessageId(name.split("/")[1]);
        return message.isOk() && !isNeeded(name, message.value);
      }),
    );
    const more = earlier.length > 0;
    last = earlier.at(-1) ?? "";
    if (!more) lease.tidiedAt = now;
    return more;
  };
};
