import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { atEnd } from "./at-end.ts";

/** A message as it arrived, with its envelope. Each character of `raw` is one octet. */
export type Taken = { readonly from: string; readonly to: string; readonly raw: string };

/** An error that makes smtp-server refuse with this code; it repeats the address, as many servers do. */
export const refusal = (responseCode: number, address: string): Error =>
  Object.assign(new Error(`5.1.1 <${address}>: no such user ${address}`), { responseCode });

/**
 * A real SMTP server on loopback that takes every message. Stops with the test, or after those of the file.
 *
 * @param take called with each complete message before it is accepted; what it throws refuses the message
 * @param at the port; a free one by default
 */
export const startRelay = async (
  take: (mail: Taken) => Promise<void> | void = () => {},
  options: SMTPServerOptions = {},
  at = 0,
) => {
  const taken: Taken[] = [];
  const smtp = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 1,
    onData: async (stream, { envelope }, done) => {
      const content = await buffer(stream).catch(() => null);
      // The client has died.
      if (content === null) return;
      const mail: Taken = {
        from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address).join(),
        raw: content.toString("latin1"),
      };
      try {
        await take(mail);
      } catch (error) {
        return done(error instanceof Error ? error : new Error(String(error)));
      }
      taken.push(mail);
      done();
    },
    ...options,
  });
  // Clients may die at any moment.
  smtp.on("error", () => {});
  smtp.listen(at, "127.0.0.1");
  await once(smtp.server, "listening");
  const stop = () => new Promise<void>((stopped) => smtp.close(() => stopped()));
  atEnd(stop);
  const { port } = smtp.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    /** Stops listening, and closes all connections, as when a server is shut down. */
    stop,
    /** Every message that was accepted, oldest first. */
    taken: taken as readonly Taken[],
    /** How many clients are connected. */
    connections: () => smtp.connections.size,
  };
};
