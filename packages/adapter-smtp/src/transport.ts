import type { Readable } from "node:stream";
import { err, ok, type Result } from "@postern/core";
import { createTransport, type SendMailOptions, type SMTPPoolOptions } from "nodemailer";

/**
 * How far a message got before it failed: the server had accepted nothing of it (`nothing`: there was no connection or no
 * login; `session`: the envelope or DATA was refused), or had accepted DATA.
 */
type Reached = "nothing" | "session" | "data";

export type SendFailure = { readonly error: unknown; readonly reached: Reached };

export type Transport = {
  /** Sends the message unless `signal` is aborted first. Each message needs a signal of its own. */
  send(message: SendMailOptions, signal: AbortSignal): Promise<Result<void, SendFailure>>;
  /** How far the message sent with this signal got. */
  reached(signal: AbortSignal): Reached;
  /** Closes the connections once the messages being sent are finished. Idempotent. */
  close(): void;
};

/**
 * Connections that nodemailer keeps open.
 *
 * Most of its error codes do not tell how far a message got: ECONNECTION, ESOCKET, ETIMEDOUT and EABORT can occur at any
 * time. What does tell is whether nodemailer has opened the message, which it does once it is logged in, and whether it has
 * read from it, which it does only once the server has accepted the envelope and DATA.
 *
 * @param onSession called whenever a message has got to a connection that is logged in
 */
export const smtpTransport = (
  options: SMTPPoolOptions & { pool: true },
  onSession: () => void = () => {},
): Transport => {
  const transport = createTransport(options);
  /** The messages as nodemailer reads them, by the signals that they were sent with. */
  const contents = new WeakMap<AbortSignal, Readable>();
  transport.use("stream", ({ data: { signal }, message }, next) => {
    message.processFunc((content) => {
      if (signal) contents.set(signal, content);
      onSession();
      return content;
    });
    next();
  });
  const reached = (signal: AbortSignal): Reached => {
    const content = contents.get(signal);
    if (content === undefined) return "nothing";
    return content.readableDidRead ? "data" : "session";
  };
  return {
    reached,
    send: async (message, signal) => {
      try {
        await transport.sendMail({ ...message, signal });
        return ok();
      } catch (error) {
        return err({ error, reached: reached(signal) });
      }
    },
    close: () => transport.close(),
  };
};
