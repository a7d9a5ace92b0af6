import { err } from "neverthrow";
import type { Alias } from "../../alias/alias.ts";
import type { Unavailable } from "../../errors.ts";
import { type AliasEnd, endNotice } from "../../mail/end-notice.ts";
import { toOctets } from "../../mail/octets.ts";
import type { Spool, SpoolFull } from "../../mail/ports.ts";
import type { OnUnreported, PortResult } from "../../ports.ts";
import type { EmailAddress } from "../../values/email-address.ts";
import type { NonEmpty } from "../../values/non-empty.ts";
import { discardUnlessStored, type OwnMailingPorts, ownMailing } from "./own-mailing.ts";

const NO_SPACE: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "no space to tell that an alias has ended" },
};

/** Queues the notice to the recipients of an alias that it has ended. If that fails they are not told, which is reported. */
export const tellEnd = ({
  onUnreported,
  ...ports
}: OwnMailingPorts & { readonly spool: Pick<Spool, "keep">; readonly onUnreported: OnUnreported }) => {
  const queue = async (
    { email, destinations }: Pick<Alias, "email" | "destinations">,
    end: AliasEnd,
  ): PortResult<void, SpoolFull> => {
    const [first, ...others] = destinations;
    const mailboxes: NonEmpty<EmailAddress> = [first.email, ...others.map((other) => other.email)];
    const mailing = await ownMailing(
      ports,
      (id, now) => {
        const { header, body } = endNotice({ id, alias: email, end, now });
        return { header, body: toOctets(body) };
      },
      mailboxes,
      { kind: "notice" },
    );
    if (mailing.isErr()) return err(mailing.error);
    return discardUnlessStored(mailing.value, await ports.spool.keep(mailing.value));
  };

  return async (alias: Pick<Alias, "email" | "destinations">, end: AliasEnd): Promise<void> => {
    const queued = await queue(alias, end);
    if (queued.isOk()) return;
    const { error } = queued;
    onUnreported(error.code === "unavailable" ? error : NO_SPACE);
  };
};
