import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Copy } from "./mail-protocol.ts";

const END = Buffer.from("\r\n.\r\n");
const GREETING = "250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 50000000\r\n";

/** A message without the dots that SMTP adds at the beginning of lines. */
const unstuffed = (sent: string): string => sent.replaceAll("\r\n.", "\r\n");

export type Sink = {
  readonly port: number;
  /** The next copy that arrives; call it while none is arriving. */
  next(): Promise<Copy>;
};

/** A minimal mail server: it accepts everything and keeps nothing unless asked to, so that it costs less than any sender. */
export const startSink = async (onMessage: () => void): Promise<Sink> => {
  let onCopy: ((copy: Copy) => void) | null = null;
  const serve = (socket: Socket): void => {
    socket.setNoDelay().on("error", () => {});
    let inMessage = false;
    let recipient = "";
    let pending: Buffer = Buffer.alloc(0);
    socket.write("220 sink\r\n");
    socket.on("data", (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      for (;;) {
        if (inMessage) {
          const end = pending.indexOf(END);
          if (end < 0) {
            // The end may have arrived in part.
            if (onCopy === null) pending = pending.subarray(Math.max(0, pending.length - END.length + 1));
            return;
          }
          onCopy?.({ recipient, message: unstuffed(pending.toString("latin1", 0, end + 2)) });
          onCopy = null;
          pending = pending.subarray(end + END.length);
          inMessage = false;
          onMessage();
          socket.write("250 ok\r\n");
        }
        const line = pending.indexOf("\r\n");
        if (line < 0) return;
        const verb = pending.toString("latin1", 0, 4).toUpperCase();
        if (verb === "RCPT") recipient = /<(.*)>/.exec(pending.toString("latin1", 0, line))?.[1] ?? "";
        pending = pending.subarray(line + 2);
        if (verb === "DATA") {
          inMessage = true;
          socket.write("354 go on\r\n");
        } else if (verb === "EHLO") socket.write(GREETING);
        else if (verb === "QUIT") socket.end("221 bye\r\n");
        else socket.write("250 ok\r\n");
      }
    });
  };
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    next: () =>
      new Promise((resolve) => {
        onCopy = resolve;
      }),
  };
};
