import { type EmailAddress, LoggedMessage, type PortResult } from "@postern/core";
import type { MessagePosition } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { AliasAddress } from "../copy/purpose.ts";
import { HeaderFields } from "../header/header-fields.ts";
import type { Mailto } from "../header/mailto.ts";
import { messageOfReference, messageReference } from "../message/message-reference.ts";
import { referenceOfUnsubscribeAddress, unsubscribeMailto } from "../message/unsubscription.ts";

/** From one of the recipients of the alias, to the list that a message to the alias is from. */
export type Unsubscription = {
  readonly kind: "unsubscription";
  readonly alias: AliasAddress;
  /** The message, in the log of the alias. */
  readonly from: MessagePosition;
  /** What unsubscribes. */
  readonly mailto: Mailto;
};

/** What mail to an address that stands for that of a list (`unsubscribeAddress`) is for; null if the message is no longer remembered. */
export const admitUnsubscription =
  ({ spool, secrets }: Pick<MailContext, "spool" | "secrets">) =>
  async (address: EmailAddress): PortResult<Unsubscription | null> => {
    const reference = referenceOfUnsubscribeAddress(address);
    const id = reference === null ? null : messageOfReference(reference);
    if (id === null) return ok(null);
    const copies = await spool.findAll(id);
    if (copies.isErr()) return err(copies.error);
    for (const { id: copy, purpose } of copies.value) {
      if (purpose.kind !== "forward") continue;
      const { alias } = purpose;
      if (messageReference(secrets.hash, id, alias.email) !== reference) continue;
      const found = await spool.find(copy);
      if (found.isErr()) return err(found.error);
      if (found.value === null) return ok(null);
      const { header, createdAt: at } = found.value.message;
      const mailto = unsubscribeMailto(HeaderFields.split(header));
      const from = LoggedMessage.position({ at, id });
      return ok(mailto && { kind: "unsubscription", alias, from, mailto });
    }
    return ok(null);
  };
