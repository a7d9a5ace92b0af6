import type { AliasState } from "@postern/core";
import type { Result } from "neverthrow";
import type { MailContext } from "../context.ts";
import { aliasAddress } from "../copy/purpose.ts";
import { type MailTransaction, storedMessageId } from "../message/mail-transaction.ts";
import { ownMailing } from "../notices/own-mailing.ts";
import { writeUnsubscription } from "../notices/write-unsubscription.ts";
import type { OwnMailing } from "../spool.ts";
import type { Unsubscription } from "./admit-unsubscription.ts";
import { type ReplyRefusal, replyAuthor } from "./reply-admission.ts";

/**
 * What a message that unsubscribes an alias from lists becomes, if it is from one of the alias's current recipients: a message of our own to
 * each list. What the mail program wrote goes to nobody, because it can name the mailbox. So programs can write it, unlike a reply.
 */
export const prepareUnsubscriptions =
  (context: Pick<MailContext, "secrets" | "clock">) =>
  (
    alias: AliasState,
    unsubscriptions: readonly Unsubscription[],
    {
      fields,
      transaction,
      ...evidence
    }: {
      readonly fields: Parameters<typeof replyAuthor>[0];
      readonly transaction: MailTransaction;
    } & Parameters<typeof replyAuthor>[1],
  ): Result<readonly OwnMailing[], ReplyRefusal> => {
    const recipients = alias.destinations.map(({ email }) => email);
    return replyAuthor(fields, evidence, recipients).map((author) =>
      unsubscriptions.map(({ mailto, from }) =>
        ownMailing(
          context,
          (id, now) => writeUnsubscription(mailto, alias.email, id, now),
          [mailto.to],
          { kind: "reply", alias: aliasAddress(alias), author, unsubscribesFrom: from },
          storedMessageId(transaction, ["unsubscription", alias.account, alias.id, from], context.secrets),
        ),
      ),
    );
  };
