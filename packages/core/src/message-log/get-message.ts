import type { AliasNotFound, MessageNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { AttributedMessage } from "./attributed-message.ts";
import { type FindMessagePorts, findMessage, type MessageTarget, messageTarget } from "./find-message.ts";

export type GetMessageError = InvalidRequest | AliasNotFound | MessageNotFound | Unavailable;

/**
 * Returns one message of the last 30 days from the log of an alias, deleted or not, with the contact that it is from.
 *
 * @example
 * ```ts
 * const [newest] = page.items;
 * const message = await service.getMessage({ account, aliasId, position: LoggedMessage.position(newest) });
 * ```
 */
export const getMessage = (
  ports: Timing & FindMessagePorts,
): Operation<MessageTarget, AttributedMessage, GetMessageError> =>
  operation(ports, messageTarget, async (target, timeLeft) =>
    (await findMessage(ports, timeLeft, target)).map(({ message }) => message),
  );
