import type { Own } from "../account/own.ts";
import type { PortsOf } from "../operation/operation.ts";
import { blockSender } from "./block-sender.ts";
import { listBlockedSenders } from "./list-blocked-senders.ts";
import { unblockSender } from "./unblock-sender.ts";

/** What a service does if its store has `blockedSenders`. */
export type BlockedSenderOperations = ReturnType<typeof blockedSenderOperations>;

export const blockedSenderOperations = (
  ports: PortsOf<typeof blockSender | typeof unblockSender | typeof listBlockedSenders>,
  own: Own,
) => ({
  blockSender: own(blockSender(ports)),
  unblockSender: own(unblockSender(ports)),
  listBlockedSenders: own(listBlockedSenders(ports)),
});
