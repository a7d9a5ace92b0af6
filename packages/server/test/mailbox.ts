import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

/** A real SMTP server on loopback that takes every message. */
export const startMailbox = async () => {
  const messages: Email[] = [];
  const smtp = new SMTPServer({
    logger: false,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onData: async (stream, _session, done) => {
      messages.push(await PostalMime.parse(await buffer(stream)));
      done();
    },
  });
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
