import {
  type Clock,
  type EmailAddress,
  type MessageId,
  type NonEmpty,
  newCopyId,
  newMessageId,
  type PortResult,
  type Secrets,
} from "@postern/core";
import { err, type Result } from "neverthrow";
import { Copy } from "../copy/copy.ts";
import type { AliasAddress, CopyPurpose } from "../copy/purpose.ts";
import { inOneChunk, toOctets } from "../header/octets.ts";
import { messageSize } from "../message/message.ts";
import type { Mailing, OwnMailing, Spool, SpoolFull } from "../spool.ts";

export type OwnMailingPorts = {
  readonly secrets: Pick<Secrets, "random">;
  readonly clock: Pick<Clock, "now">;
};

/** A message that Postern itself writes, with a copy to each mailbox. */
export const ownMailing = (
  { secrets, clock }: OwnMailingPorts,
  write: (id: MessageId, now: number) => { readonly header: string; readonly body: Uint8Array },
  mailboxes: NonEmpty<EmailAddress>,
  purpose: CopyPurpose,
  id = newMessageId(secrets.random),
): OwnMailing => {
  const now = clock.now();
  const { header, body } = write(id, now);
  const copyTo = (to: EmailAddress): Copy =>
    Copy.create({ id: newCopyId(secrets.random), message: id, to, purpose }, now);
  const [first, ...others] = mailboxes;
  return {
    message: { origin: "own", id, createdAt: now, header, size: messageSize(header, body.length) },
    body,
    copies: [copyTo(first), ...others.map(copyTo)],
  };
};

/** `ownMailing` for a notice (`CopyPurpose`), whose body is text in which each character is one octet. */
export const noticeMailing = (
  ports: OwnMailingPorts,
  write: (id: MessageId, now: number) => { readonly header: string; readonly body: string },
  mailboxes: NonEmpty<EmailAddress>,
  alias: AliasAddress | null,
): OwnMailing =>
  ownMailing(
    ports,
    (id, now) => {
      const { header, body } = write(id, now);
      return { header, body: toOctets(body) };
    },
    mailboxes,
    { kind: "notice", alias },
  );

/** The mailing with its body received by the spool, for `keep`. */
export const receivedMailing = async (
  spool: Pick<Spool, "receive">,
  { message, body, copies }: OwnMailing,
): PortResult<Mailing, SpoolFull> =>
  (await spool.receive(inOneChunk(body))).map((received) => ({ message, body: received, copies }));

/** Returns `stored`. If storing the mailing failed, discards its body, which has no effect if it was kept after all. */
export const discardUnlessStored = async <T, E>(
  mailing: Pick<Mailing, "body">,
  stored: Result<T, E>,
): Promise<Result<T, E>> => {
  if (stored.isErr()) await mailing.body.discard();
  return stored;
};

/** Stores the mailing, with its body. */
export const keepOwn = async (
  spool: Pick<Spool, "receive" | "keep">,
  own: OwnMailing,
): PortResult<void, SpoolFull> => {
  const mailing = await receivedMailing(spool, own);
  if (mailing.isErr()) return err(mailing.error);
  return discardUnlessStored(mailing.value, await spool.keep(mailing.value));
};
