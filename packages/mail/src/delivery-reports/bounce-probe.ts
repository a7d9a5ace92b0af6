import {
  type Domain,
  type EmailAddress,
  newCopyId,
  newMessageId,
  type PortResult,
  type Secrets,
} from "@postern/core";
import { err, ok } from "neverthrow";
import { Copy } from "../copy/copy.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { internetDate } from "../header/internet-date.ts";
import { inOneChunk, toOctets } from "../header/octets.ts";
import { writeField } from "../header/write-field.ts";
import { bounceAddress } from "../message/bounce-address.ts";
import type { MailBody } from "../message/mail-body.ts";
import { messageSize } from "../message/message.ts";
import { keepOwn, type OwnMailingPorts } from "../notices/own-mailing.ts";
import type { Envelope } from "../relay.ts";
import type { Spool, SpoolFull } from "../spool.ts";

/** How long a server that is running leaves the copy alone, in milliseconds: longer than anybody waits for the report. */
const UNTOUCHED = 60 * 60_000;

/** A message that is to be handed to the relay, to find out whether its reports come back. */
export type BounceProbe = {
  readonly envelope: Envelope;
  readonly header: string;
  readonly body: MailBody;
  /** Whether the report has come back. */
  hasReturned(): PortResult<boolean>;
  /** Drops the copy, unless the report has come back. */
  end(): PortResult<void>;
};

/**
 * Stores a message whose only copy goes from its own bounce address to that same address. The server that receives mail for the domain
 * refuses it, because it is no report of delivery; so the relay reports that to the address, where the server records it. Nothing of this
 * reaches a mailbox, a counter of an alias or the operator. The spool may be one that a server has open: the server does not send the copy.
 */
export const beginBounceProbe = async (
  ports: Pick<OwnMailingPorts, "clock"> & {
    readonly secrets: Pick<Secrets, "random" | "hash">;
    readonly spool: Pick<Spool, "id" | "receive" | "keep" | "find" | "drop">;
  },
  domain: Domain,
): PortResult<BounceProbe, SpoolFull> => {
  const { spool, clock, secrets } = ports;
  const now = clock.now();
  const [message, id] = [newMessageId(secrets.random), newCopyId(secrets.random)];
  const address = bounceAddress(secrets.hash, { copy: id, spool: spool.id }, domain);
  // Safe because alias domains leave room for names of 64 characters.
  const operator = `postmaster@${domain}` as EmailAddress;
  const header = HeaderFields.join([
    writeField("From", `<${address}>`),
    writeField("To", `<${address}>`),
    writeField("Subject", "Test of the way back"),
    writeField("Date", internetDate(now)),
    writeField("Message-ID", `<${message}@${domain}>`),
    writeField("MIME-Version", "1.0"),
    writeField("Content-Type", "text/plain; charset=us-ascii"),
  ]);
  const content = toOctets("Postern refuses this message, and the mail server that sent it says so.\r\n");
  const copy = Copy.create(
    { id, message, to: address, purpose: { kind: "postmaster", address: operator } },
    now,
  );
  const kept = await keepOwn(spool, {
    message: {
      origin: "own",
      id: message,
      createdAt: now,
      header,
      size: messageSize(header, content.length),
    },
    body: content,
    copies: [{ ...copy, nextAt: now + UNTOUCHED }],
  });
  if (kept.isErr()) return err(kept.error);
  return ok({
    envelope: { from: address, to: address },
    header,
    body: { size: content.length, read: () => inOneChunk(content) },
    hasReturned: async () => (await spool.find(id)).map((found) => found?.copy.state === "failed"),
    end: async () => (await spool.drop(id, clock.now())).map(() => undefined),
  });
};
