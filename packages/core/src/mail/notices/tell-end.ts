import { err } from "neverthrow";
import type { Alias } from "../../alias/alias.ts";
import type { Unavailable } from "../../errors.ts";
import type { OnUnreported, PortResult } from "../../ports/port-result.ts";
import type { EmailAddress } from "../../values/email-address.ts";
import type { MessageId } from "../../values/identifiers.ts";
import type { NonEmpty } from "../../values/non-empty.ts";
import { aliasAddress } from "../copy/copy.ts";
import type { Spool, SpoolFull } from "../spool.ts";
import { type AliasEnd, endNotice } from "./end-notice.ts";
import { discardUnlessStored, noticeMailing, type OwnMailingPorts, receivedMailing } from "./own-mailing.ts";

const NO_SPACE: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "no space to queue the notice that an alias has ended" },
};

/** Notifies the recipients of an alias that it has ended. If the notice cannot be queued, that is reported, and nobody is notified. */
export const tellEnd = ({
  spool,
  onUnreported,
  ...ports
}: OwnMailingPorts & {
  readonly spool: Pick<Spool, "receive" | "keep">;
  readonly onUnreported: OnUnreported;
}) => {
  const queue = async (alias: Alias, end: AliasEnd): PortResult<void, SpoolFull> => {
    const { email, destinations } = alias;
    const [first, ...others] = destinations;
    const mailboxes: NonEmpty<EmailAddress> = [first.email, ...others.map((other) => other.email)];
    const write = (id: MessageId, now: number) => endNotice({ id, alias: email, end, now });
    const notice = noticeMailing(ports, write, mailboxes, aliasAddress(alias));
    const mailing = await receivedMailing(spool, notice);
    if (mailing.isErr()) return err(mailing.error);
    return discardUnlessStored(mailing.value, await spool.keep(mailing.value));
  };

  return async (alias: Alias, end: AliasEnd): Promise<void> => {
    const queued = await queue(alias, end);
    if (queued.isOk()) return;
    const { error } = queued;
    onUnreported(error.code === "unavailable" ? error : NO_SPACE);
  };
};
