import type { Aliases } from "../alias/aliases.ts";
import type { AliasNotFound, MessageNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { findMessage, type MessageTarget, messageTarget } from "./find-message.ts";
import type { LoggedMessage } from "./logged-message.ts";
import type { MessageLog } from "./message-log.ts";

export type GetMessageError = InvalidRequest | AliasNotFound | MessageNotFound | Unavailable;

/**
 * Returns one message of the last 30 days from the log of an alias, deleted or not.
 *
 * @example
 * ```ts
 * const [newest] = page.items;
 * const message = await service.getMessage({ account, aliasId, position: LoggedMessage.position(newest) });
 * ```
 */
export const getMessage = (
  ports: Timing & {
    readonly aliases: Pick<Aliases, "findWithRecipients">;
    readonly messageLog: Pick<MessageLog, "find">;
  },
): Operation<MessageTarget, LoggedMessage, GetMessageError> =>
  operation(ports, messageTarget, async (target, timeLeft) =>
    (await findMessage(ports, timeLeft, target)).map(({ message }) => message),
  );
