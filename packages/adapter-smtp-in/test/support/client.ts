import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { onTestFinished } from "vitest";

export type Client = {
  readonly socket: Socket;
  /** The next reply of the server, all of its lines; `closed` if it closed the connection. */
  reply(): Promise<string>;
  /** Sends octets (latin1) as they are. */
  write(text: string): void;
  /** Sends a command, and returns the reply. */
  command(line: string): Promise<string>;
  /** Sends a message (its lines end with CRLF), and returns the reply to it. */
  data(message: string): Promise<string>;
  /** Continues the connection over TLS. */
  startTls(): Promise<Client>;
};

const wrap = (socket: Socket): Client => {
  socket.on("error", () => {});
  let received = "";
  let closed = false;
  let wake = () => {};
  socket.on("data", (data: Buffer) => {
    received += data.toString("latin1");
    wake();
  });
  socket.on("close", () => {
    closed = true;
    wake();
  });
  const reply = async (): Promise<string> => {
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(received);
      if (match !== null) {
        received = received.slice(match[0].length);
        return match[0].trimEnd();
      }
      if (closed) return "closed";
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const write = (text: string) => void socket.write(text, "latin1");
  const command = (line: string) => {
    write(`${line}\r\n`);
    return reply();
  };
  return {
    socket,
    reply,
    write,
    command,
    data: async (message) => {
      const go = await command("DATA");
      return go.startsWith("354") ? command(`${message}\r\n.`) : go;
    },
    startTls: async () => {
      socket.removeAllListeners("data");
      const secure = connectTls({ socket, rejectUnauthorized: false });
      await once(secure, "secureConnect");
      return wrap(secure);
    },
  };
};

/** Connects without waiting for the greeting. `from` is the address of the client. */
export const connect = async (port: number, from = "127.0.0.1"): Promise<Client> => {
  // Otherwise each small write waits for the acknowledgement of the one before it, up to 40 ms.
  const socket = connectSocket({ port, host: "127.0.0.1", localAddress: from }).setNoDelay();
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return wrap(socket);
};

/** A connection that has been greeted. */
export const greeted = async (port: number, from?: string): Promise<Client> => {
  const client = await connect(port, from);
  await client.reply();
  await client.command("EHLO client.example");
  return client;
};

/** A connection with an envelope. */
export const enveloped = async (port: number, to = "shop@alias.example", from?: string): Promise<Client> => {
  const client = await greeted(port, from);
  await client.command("MAIL FROM:<bob@sender.example>");
  await client.command(`RCPT TO:<${to}>`);
  return client;
};

export const MESSAGE = "From: bob@sender.example\r\nSubject: Hello\r\n\r\nHello\r\n..\r\nthe end";
