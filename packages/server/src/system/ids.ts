import { AliasId, type Ids, RecipientId } from "@postern/core";
import { v7 } from "uuid";

/**
 * UUIDs of version 7: they start with the time in milliseconds, and a counter keeps those of one process
 * ascending within a millisecond and when the system clock is set back.
 */
export const uuids: Ids = {
  alias: () => AliasId.parse(v7()),
  recipient: () => RecipientId.parse(v7()),
};
