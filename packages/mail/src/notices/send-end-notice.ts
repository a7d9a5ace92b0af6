import type { Alias, EmailAddress, MessageId, NonEmpty, PortResult, Unavailable } from "@postern/core";
import type { MailContext } from "../context.ts";
import { aliasAddress } from "../copy/purpose.ts";
import type { SpoolFull } from "../spool.ts";
import { type AliasEnd, endNotice } from "./end-notice.ts";
import { keepOwn, noticeMailing } from "./own-mailing.ts";

const NO_SPACE: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "no space to queue the notice that an alias has ended" },
};

/** Notifies the recipients of an alias that it has ended. If the notice cannot be queued, that is reported, and nobody is notified. */
export const sendEndNotice = (context: MailContext) => {
  const { spool, service, language, onUnreported } = context;

  const queue = async (alias: Alias, end: AliasEnd): PortResult<void, SpoolFull> => {
    const { email, destinations } = alias;
    const [first, ...others] = destinations;
    const mailboxes: NonEmpty<EmailAddress> = [first.email, ...others.map((other) => other.email)];
    const write = (id: MessageId, now: number) =>
      endNotice({ id, alias: email, end, service, language, now });
    const notice = noticeMailing(context, write, mailboxes, aliasAddress(alias));
    return keepOwn(spool, notice);
  };

  return async (alias: Alias, end: AliasEnd): Promise<void> => {
    const queued = await queue(alias, end);
    if (queued.isOk()) return;
    const { error } = queued;
    onUnreported(error.code === "unavailable" ? error : NO_SPACE);
  };
};
