import type { Readable } from "node:stream";
import { err, type NotSent, ok, type PortResult } from "@postern/core";
import { createTransport, type SendMailOptions } from "nodemailer";
import { poolOptions } from "./pool-options.ts";

export type MailPool = {
  /**
   * Sends the message unless `signal` is aborted first. `not_sent` if the server was given no part of it or replied that
   * it does not accept it; `unavailable` in every other case.
   */
  send(message: SendMailOptions, signal: AbortSignal): PortResult<void, NotSent>;
  /** Closes the connections once the messages being sent are finished. Idempotent. */
  close(): void;
};

/**
 * The connections to the server at `url`.
 *
 * Most of nodemailer's error codes do not tell how far a message got: ECONNECTION, ESOCKET, ETIMEDOUT and EABORT can
 * come before DATA or after it. So what counts is whether the message was read: nodemailer starts to read it only when
 * the server has accepted the envelope and DATA. After that only EMESSAGE with a reply code is certain: a server that
 * replies to a message with 4yz or 5yz must not deliver it (RFC 5321, section 4.2.5). The exception is 421, by which a
 * server ends a session at any time, whatever became of the message.
 */
export const mailPool = (url: string, timeoutMs: number): MailPool => {
  const transport = createTransport(poolOptions(url, timeoutMs));
  /** The messages as nodemailer reads them, by the signals that they are sent with. */
  const contents = new WeakMap<AbortSignal, Readable>();
  transport.use("stream", ({ data: { signal }, message }, next) => {
    message.processFunc((content) => {
      if (signal) contents.set(signal, content);
      return content;
    });
    next();
  });
  return {
    send: async (message, signal) => {
      try {
        await transport.sendMail({ ...message, signal });
        return ok();
      } catch (error) {
        // The error is dropped because a server's response can repeat the address.
        const begun = contents.get(signal)?.readableDidRead === true;
        return err({ code: begun && !isRefusal(error) ? "unavailable" : "not_sent" });
      }
    },
    close: () => transport.close(),
  };
};

/** Whether a server that was given the message replied that it does not accept it. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  error.code === "EMESSAGE" &&
  "responseCode" in error &&
  Number(error.responseCode) >= 400 &&
  error.responseCode !== 421;
