import { err, type Result } from "neverthrow";
import * as z from "zod";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import type { AliasNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId, aliasId } from "../values/identifiers.ts";
import { type Page, type PageQuery, pageAfter } from "../values/page.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { type AttributedMessage, attribution, type KnownContacts } from "./attributed-message.ts";
import { LoggedMessage } from "./logged-message.ts";
import type { MessageLog } from "./message-log.ts";
import { type MessagePosition, messagePositionSchema } from "./message-position.ts";

const query = z.object({ account: accountId, aliasId, ...pageAfter(messagePositionSchema) });

export type ListMessagesQuery = PageQuery & {
  readonly account: string;
  readonly aliasId: string;
};

type Failure = AliasNotFound | Unavailable;

export type ListMessagesError = InvalidRequest | Failure;

type AttributedPage = Page<AttributedMessage, MessagePosition>;

/**
 * Returns a page of the messages that arrived for an alias, deleted or not, or were written by its recipients, in the last 30 days, newest
 * first, each with the contact that it is from.
 *
 * @example
 * ```ts
 * const page = await service.listMessages({ account, aliasId, limit: 20 });
 * ```
 */
export const listMessages = ({
  aliases,
  messageLog,
  contacts,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
  readonly messageLog: Pick<MessageLog, "list">;
  readonly contacts?: KnownContacts;
}): Operation<ListMessagesQuery, AttributedPage, ListMessagesError> =>
  operation(
    timing,
    query,
    async ({ limit, after, ...target }, timeLeft): Promise<Result<AttributedPage, Failure>> => {
      const alias = await findAlias(aliases, timeLeft, target);
      if (alias.isErr()) return err(alias.error);
      const page = await messageLog.list(alias.value, { limit, after }, timeLeft());
      if (page.isErr()) return err(page.error);
      const { items, next } = page.value;
      const now = timing.clock.now();
      const recent = items.filter((message) => !LoggedMessage.isOver(message, now));
      const attribute = await attribution(contacts, timeLeft, alias.value, recent);
      return attribute.map((to) => ({
        items: recent.map(to),
        // Everything after a message that is too old is too old as well.
        next: recent.length < items.length ? null : next,
      }));
    },
  );
