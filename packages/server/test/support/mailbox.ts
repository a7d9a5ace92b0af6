import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A real SMTP server on loopback that accepts every message and every password, unless `options` say otherwise. */
export const startMailbox = async (delayMs = 0, options: SMTPServerOptions = {}) => {
  const messages: Email[] = [];
  const smtp = new SMTPServer({
    logger: false,
    authOptional: true,
    onAuth: (_auth, _session, done) => done(null, { user: "anybody" }),
    disableReverseLookup: true,
    closeTimeout: 1,
    onData: async (stream, _session, done) => {
      const message = await buffer(stream).catch(() => null);
      if (message === null) return;
      messages.push(await PostalMime.parse(message));
      if (delayMs > 0) await setTimeout(delayMs);
      done();
    },
    ...options,
  });
  // A client may disconnect during a message or a handshake.
  smtp.on("error", () => {});
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  const { port } = smtp.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** Every message received, oldest first. */
    messages: messages as readonly Email[],
    stop: () => new Promise<void>((stopped) => smtp.close(() => stopped())),
  };
};
