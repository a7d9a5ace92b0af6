import { err, type Result } from "neverthrow";
import * as z from "zod";
import type { Alias } from "../alias/alias.ts";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import type { AliasNotFound, MessageNotFound, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import { type AccountId, type AliasId, accountId, aliasId } from "../values/identifiers.ts";
import { type AttributedMessage, attribution, type KnownContacts } from "./attributed-message.ts";
import { LoggedMessage } from "./logged-message.ts";
import type { MessageLog } from "./message-log.ts";
import { type MessagePosition, messagePositionSchema } from "./message-position.ts";

export const messageTarget = z.object({ account: accountId, aliasId, position: messagePositionSchema });

/** A message in the log of an alias. */
export type MessageTarget = {
  readonly account: string;
  readonly aliasId: string;
  /** `LoggedMessage.position` of the message. */
  readonly position: string;
};

type ParsedTarget = {
  readonly account: AccountId;
  readonly aliasId: AliasId;
  readonly position: MessagePosition;
};

/** What it takes to find a message. */
export type FindMessagePorts = {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
  readonly messageLog: Pick<MessageLog, "find">;
  readonly contacts?: KnownContacts;
};

/** The message with its alias, deleted or not. */
export const findMessage = async (
  { aliases, messageLog, contacts, clock }: FindMessagePorts & { readonly clock: Pick<Clock, "now"> },
  timeLeft: TimeLeft,
  { position, ...target }: ParsedTarget,
): Promise<
  Result<
    { readonly alias: Alias; readonly message: AttributedMessage },
    AliasNotFound | MessageNotFound | Unavailable
  >
> => {
  const alias = await findAlias(aliases, timeLeft, target);
  if (alias.isErr()) return err(alias.error);
  const found = await messageLog.find(alias.value, position, timeLeft());
  if (found.isErr()) return err(found.error);
  const message = found.value;
  if (message === null || LoggedMessage.isOver(message, clock.now())) {
    return err({ code: "message_not_found" });
  }
  const attribute = await attribution(contacts, timeLeft, alias.value, [message]);
  return attribute.map((to) => ({ alias: alias.value, message: to(message) }));
};
