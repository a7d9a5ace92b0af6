import { err, type Result } from "neverthrow";
import type { Aliases } from "../alias/aliases.ts";
import { acceptsMail } from "../alias/require-accepting.ts";
import type {
  AliasDeleted,
  AliasInactive,
  AliasNotFound,
  MessageNotFound,
  MessageNotKept,
  Unavailable,
} from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { findMessage, type MessageTarget, messageTarget } from "./find-message.ts";
import type { LoggedMessage } from "./logged-message.ts";
import type { MessageLog } from "./message-log.ts";
import type { Resends } from "./resends.ts";

type Failure = AliasNotFound | AliasDeleted | AliasInactive | MessageNotFound | MessageNotKept | Unavailable;

export type ResendMessageError = InvalidRequest | Failure;

/**
 * Has a message with a failed copy sent again: a forwarded message to those recipients that the alias has at that time and that it has not
 * reached, and a message written from the alias to the contacts that it has not reached. The server that has its body does so a few seconds
 * later, and the log shows it. Idempotent: copies that are already waiting to be sent are not sent twice.
 *
 * @example
 * ```ts
 * await service.resendMessage({ account, aliasId, position: LoggedMessage.position(message) });
 * ```
 */
export const resendMessage = ({
  resends,
  ...ports
}: Timing & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
  readonly messageLog: Pick<MessageLog, "find">;
  readonly resends: Pick<Resends, "request">;
}): Operation<MessageTarget, LoggedMessage, ResendMessageError> =>
  operation(ports, messageTarget, async (target, timeLeft): Promise<Result<LoggedMessage, Failure>> => {
    const found = await findMessage(ports, timeLeft, target);
    if (found.isErr()) return err(found.error);
    const { alias, message } = found.value;
    const at = ports.clock.now();
    const accepting = acceptsMail(alias, at);
    if (accepting.isErr()) return err(accepting.error);
    if (message.keptBody === null || message.keptBody.until <= at) return err({ code: "message_not_kept" });
    const requested = await resends.request(
      { spool: message.keptBody.spool, account: alias.account, alias: alias.id, message: message.id, at },
      timeLeft(),
    );
    return requested.map(() => message);
  });
