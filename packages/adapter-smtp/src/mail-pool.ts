import { Readable } from "node:stream";
import type { EmailAddress, MailRefused, NotSent, PortResult } from "@postern/core";
import { causeOf } from "./cause.ts";
import { poolOptions } from "./pool-options.ts";
import { smtpTransport } from "./transport.ts";

/** A message in ASCII for one mailbox. */
type PooledMessage = {
  readonly from: EmailAddress;
  readonly to: EmailAddress;
  /** In the form of `ReceivedMessage.header`. */
  readonly header: string;
  readonly body: Uint8Array;
};

export type MailPool = {
  /**
   * Sends the message unless `signal` is aborted first. `mail_refused` if the server replied that it does not accept the
   * recipient or the message; otherwise `not_sent` if it received no part of the message; `unavailable` for every other
   * failure.
   */
  send(message: PooledMessage, signal: AbortSignal): PortResult<void, NotSent | MailRefused>;
  /** Closes the connections once the messages being sent are finished. Idempotent. */
  close(): void;
};

/**
 * The connections to the server at `url`.
 *
 * Once nodemailer has begun to read a message, only EMESSAGE with a reply code is certain: a server that replies to a message
 * with 4yz or 5yz must not deliver it (RFC 5321, section 4.2.5). The exception is 421, with which a server can end a session
 * at any time and which says nothing about the message.
 */
export const mailPool = (url: string, timeoutMs: number): MailPool => {
  const transport = smtpTransport(poolOptions(url, timeoutMs));
  return {
    send: async ({ from, to, header, body }, signal) => {
      const content = Readable.from([Buffer.from(`${header}\r\n`), body], { objectMode: false });
      const sent = await transport.send({ envelope: { from, to: [to] }, content }, signal);
      return sent.mapErr(({ error, reached }) => {
        const begun = reached === "data";
        // The error itself is dropped because a server's response can repeat the address.
        const cause = causeOf(error, begun);
        if (isRefusal(error)) return { code: "mail_refused", permanent: replyCode(error) >= 500, cause };
        return { code: begun ? "unavailable" : "not_sent", cause };
      });
    },
    close: transport.close,
  };
};

/** Whether the server replied that it does not accept the recipient or the message. The sender is the operator's. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "EMESSAGE" || error.code === "EENVELOPE") &&
  !("command" in error && error.command === "MAIL FROM") &&
  replyCode(error) >= 400 &&
  replyCode(error) !== 421;

/** 0 if there was no reply. */
const replyCode = (error: unknown): number =>
  error instanceof Error && "responseCode" in error ? Number(error.responseCode) || 0 : 0;
