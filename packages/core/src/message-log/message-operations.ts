import type { Own } from "../account/own.ts";
import type { PortsOf } from "../operation/operation.ts";
import { getMessage } from "./get-message.ts";
import { listMessages } from "./list-messages.ts";
import { resendMessage } from "./resend-message.ts";

/** What a service does if its store has `messageLog` and `resends`. */
export type MessageOperations = ReturnType<typeof messageOperations>;

export const messageOperations = (
  ports: PortsOf<typeof listMessages | typeof getMessage | typeof resendMessage>,
  own: Own,
) => ({
  listMessages: own(listMessages(ports)),
  getMessage: own(getMessage(ports)),
  resendMessage: own(resendMessage(ports)),
});
