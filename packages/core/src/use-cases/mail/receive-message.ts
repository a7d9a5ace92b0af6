import { err } from "neverthrow";
import type { Unavailable } from "../../errors.ts";
import { admitMessage, type DmarcMode, type MessageRefusal } from "../../mail/admission.ts";
import { type AliasAddress, Copy, type CopyPurpose } from "../../mail/copy.ts";
import { loopMark } from "../../mail/loops.ts";
import { newCopyId, newMessageId } from "../../mail/mail-ids.ts";
import type { MessageId, ReceivedMessage } from "../../mail/message.ts";
import type { ReceivedBody, Spool, SpoolFull } from "../../mail/ports.ts";
import type { Clock, PortResult, Secrets } from "../../ports.ts";
import type { EmailAddress } from "../../values/email-address.ts";
import { isNonEmpty, type NonEmpty } from "../../values/non-empty.ts";
import type { recordMailOutcome } from "../aliases/record-mail-outcome.ts";
import type { resolveAlias } from "../aliases/resolve-alias.ts";
import type { AdmittedRecipient } from "./admit-recipient.ts";
import { countBlocked } from "./count-blocked.ts";

/** A message that has arrived, with the recipients that were admitted. */
export type ArrivedMail = Pick<ReceivedMessage, "returnPath" | "header" | "session" | "authentication"> & {
  /** Received by the spool of the mail plane. The caller discards it afterwards, which has no effect if it was kept. */
  readonly body: ReceivedBody;
  readonly recipients: NonEmpty<Extract<AdmittedRecipient, { readonly kind: "alias" | "postmaster" }>>;
};

/** Between RCPT and the end of the message. If the client tries again, it is told about each recipient. */
const CHANGED_MEANWHILE: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "an alias stopped accepting mail while the message arrived" },
};

type Addressed = { readonly to: EmailAddress; readonly purpose: CopyPurpose };

/**
 * Accepts a message: stores it with one copy for each recipient of each alias, and one for the operator if it is for the
 * operator too, all or nothing. An alias that was named several times, with different tags or case, counts once. The
 * recipients are those that the aliases have now.
 *
 * Once it returns the id, the message is stored durably. A message that is refused because of DMARC counts as `blocked` for
 * each alias.
 */
export const receiveMessage =
  ({
    postmaster,
    dmarc,
    resolve,
    record,
    spool,
    secrets,
    clock,
  }: {
    /** The operator's mailbox. */
    readonly postmaster: EmailAddress;
    readonly dmarc: DmarcMode;
    readonly resolve: ReturnType<typeof resolveAlias>;
    readonly record: ReturnType<typeof recordMailOutcome>;
    readonly spool: Pick<Spool, "keep">;
    readonly secrets: Pick<Secrets, "random" | "hash">;
    readonly clock: Pick<Clock, "now">;
  }) =>
  async ({ recipients, body, ...mail }: ArrivedMail): PortResult<MessageId, MessageRefusal | SpoolFull> => {
    const aliases = new Map<string, AliasAddress>();
    for (const recipient of recipients) {
      if (recipient.kind === "alias")
        aliases.set(JSON.stringify([recipient.alias.account, recipient.alias.id]), recipient.alias);
    }
    const forOperator = recipients.find((recipient) => recipient.kind === "postmaster");

    const admitted = admitMessage(
      { ...mail, toAlias: aliases.size > 0 },
      { mark: loopMark(secrets.hash), dmarc },
    );
    if (admitted.isErr()) {
      if (admitted.error.code === "sender_not_authentic") {
        const counted = await countBlocked({ record, secrets, clock }, [...aliases.values()]);
        if (counted.isErr()) return err(counted.error);
      }
      return err(admitted.error);
    }

    const addressed: Addressed[] =
      forOperator === undefined
        ? []
        : [{ to: postmaster, purpose: { kind: "postmaster", address: forOperator.address } }];
    for (const { email } of aliases.values()) {
      const resolved = await resolve({ address: email });
      if (resolved.isErr())
        return err(resolved.error.code === "unavailable" ? resolved.error : CHANGED_MEANWHILE);
      const { account, id, destinations } = resolved.value.alias;
      for (const destination of destinations) {
        addressed.push({
          to: destination.email,
          purpose: { kind: "forward", alias: { account, id, email }, recipient: destination.recipientId },
        });
      }
    }

    const now = clock.now();
    const id = newMessageId(secrets.random);
    const copies = addressed.map(({ to, purpose }) =>
      Copy.create({ id: newCopyId(secrets.random), message: id, to, purpose }, now),
    );
    // There is at least one recipient, and each alias has at least one destination.
    if (!isNonEmpty(copies)) return err(CHANGED_MEANWHILE);
    const size = mail.header.length + "\r\n".length + body.size;
    const message: ReceivedMessage = { origin: "received", id, createdAt: now, size, ...mail };
    return (await spool.keep({ message, body, copies })).map(() => id);
  };
