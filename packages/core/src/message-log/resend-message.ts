import { err, type Result } from "neverthrow";
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
import type { AttributedMessage } from "./attributed-message.ts";
import { type FindMessagePorts, findMessage, type MessageTarget, messageTarget } from "./find-message.ts";
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
}: Timing &
  FindMessagePorts & {
    readonly resends: Pick<Resends, "request">;
  }): Operation<MessageTarget, AttributedMessage, ResendMessageError> =>
  operation(ports, messageTarget, async (target, timeLeft): Promise<Result<AttributedMessage, Failure>> => {
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
