import type { Readable } from "node:stream";
import { err, ok, type Result } from "@postern/core";
import { createTransport, type SMTPPoolOptions } from "nodemailer";
import MailMessage from "nodemailer/lib/mailer/mail-message";
import MimeNode, { type MimeNodeEnvelope } from "nodemailer/lib/mime-node";
import { dnsCache } from "nodemailer/lib/shared";

/**
 * How far a message got before it failed: there was no connection or no login (`nothing`), nothing of the message itself was sent
 * (`session`: usually, the envelope or DATA was refused), or it was sent at least in part (`data`).
 */
type Reached = "nothing" | "session" | "data";

export type SendFailure = { readonly error: unknown; readonly reached: Reached };

/** A complete message. */
export type WrittenMessage = {
  readonly envelope: MimeNodeEnvelope;
  /** Read once, or destroyed. */
  readonly content: Readable;
};

export type Transport = {
  /** Sends the message as it is, unless `signal` is aborted first. Each message needs a signal of its own. */
  send(message: WrittenMessage, signal: AbortSignal): Promise<Result<void, SendFailure>>;
  /** Connects and logs in as for a message, on a connection of its own, to the address that the server has now. */
  verify(): Promise<Result<void, unknown>>;
  /** How far the message sent with this signal got. */
  reached(signal: AbortSignal): Reached;
  /** Closes the connections once the messages being sent are finished. Idempotent. */
  close(): void;
};

/** nodemailer's own class would parse the envelope, generate a Message-ID and copy the content, for every message. */
class Written extends MimeNode {
  readonly #message: WrittenMessage;
  readonly #onRead: () => void;

  constructor(message: WrittenMessage, onRead: () => void) {
    super(undefined, { baseBoundary: "not used" });
    this.#message = message;
    this.#onRead = onRead;
  }

  override getEnvelope(): MimeNodeEnvelope {
    // nodemailer writes to it.
    return { ...this.#message.envelope };
  }

  override messageId(): string {
    return "";
  }

  override createReadStream(): Readable {
    this.#onRead();
    return this.#message.content;
  }
}

/**
 * Connections that nodemailer keeps open.
 *
 * Most of its error codes do not tell how far a message got: ECONNECTION, ESOCKET, ETIMEDOUT and EABORT can occur at any
 * time. What does tell is whether nodemailer has opened the message, which it does once it is logged in, and whether it has
 * got anything from it, which it asks for only once the server has accepted the envelope and DATA.
 *
 * @param onSession called whenever a message has got to a connection that is logged in
 */
export const smtpTransport = (
  options: SMTPPoolOptions & { pool: true },
  onSession: () => void = () => {},
): Transport => {
  const mailer = createTransport(options);
  const { transporter } = mailer;
  // Set by `?proxy=` in the URL. nodemailer itself would pass it on with the first message that it composes.
  if (mailer.getSocket) transporter.getSocket = mailer.getSocket;
  /** The messages as nodemailer reads them, by the signals that they were sent with. */
  const contents = new WeakMap<AbortSignal, Readable>();
  const reached = (signal: AbortSignal): Reached => {
    const content = contents.get(signal);
    if (content === undefined) return "nothing";
    return content.readableDidRead ? "data" : "session";
  };
  /** nodemailer keeps addresses for five minutes. An old one is still used if the lookup fails. */
  const expireAddress = (): void => {
    const { host = "" } = options;
    const known = dnsCache.get(host);
    if (known !== undefined) dnsCache.set(host, { ...known, expires: 1 });
  };
  return {
    verify: async () => {
      expireAddress();
      try {
        await mailer.verify();
        return ok();
      } catch (error) {
        return err(error);
      }
    },
    reached,
    send: async (message, signal) => {
      const { content } = message;
      const mail = new MailMessage(mailer, { signal });
      mail.message = new Written(message, () => {
        contents.set(signal, content);
        onSession();
      });
      try {
        await new Promise((resolve, reject) => {
          transporter.send(mail, (error, info) => (error ? reject(error) : resolve(info)));
        });
        return ok();
      } catch (error) {
        return err({ error, reached: reached(signal) });
      } finally {
        // If it was not sent, nobody else releases what it is read from.
        content.destroy();
      }
    },
    close: () => mailer.close(),
  };
};
