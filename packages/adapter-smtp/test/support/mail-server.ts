import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { domainToASCII } from "node:url";
import { type AccountId, type EmailAddress, parseAccountId, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";

type Received = {
  readonly from: string | undefined;
  readonly to: readonly string[];
  readonly raw: string;
  readonly secure: boolean;
  readonly user: unknown;
};

export type MailServer = {
  /** The server's address as `127.0.0.1:port`. */
  readonly host: string;
  readonly received: readonly Received[];
  /** How many connections are open now. */
  readonly connections: () => number;
  /** The maximum number of connections that were open at once. */
  readonly maxConnections: () => number;
  /** Closes the open connections, as servers do with idle ones. */
  readonly hangUp: () => void;
};

export const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("the server does not listen on a port");
  return address.port;
};

// smtp-server shows A-labels as Unicode.
const asSent = (address: string): string => {
  const at = address.lastIndexOf("@") + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
};

/** A real SMTP server on loopback that stops with the test. It accepts every message unless `options` say otherwise. */
export const startMailServer = async (options: SMTPServerOptions = {}): Promise<MailServer> => {
  const received: Received[] = [];
  let max = 0;
  const smtp = new SMTPServer({
    logger: false,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onConnect: (_session, done) => {
      max = Math.max(max, smtp.connections.size);
      done();
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        received.push({
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : undefined,
          to: session.envelope.rcptTo.map(({ address }) => asSent(address)),
          raw: Buffer.concat(chunks).toString("latin1"),
          secure: session.secure,
          user: session.user,
        });
        done();
      });
    },
    ...options,
  });
  // Some tests are about clients that reject the certificate or hang up.
  smtp.on("error", () => {});
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  onTestFinished(() => new Promise<void>((done) => smtp.close(() => done())));
  return {
    host: `127.0.0.1:${portOf(smtp.server)}`,
    received,
    connections: () => smtp.connections.size,
    maxConnections: () => max,
    hangUp: () => {
      for (const connection of smtp.connections) connection.send(421, "Idle for too long");
      for (const connection of smtp.connections) connection.close();
    },
  };
};

/** A TCP server that handles connections with `talk`, for behavior that no correct SMTP server has. */
export const startRawServer = async (talk: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  // Otherwise a reply may wait for the acknowledgement of the one before it, up to 40 ms.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    talk(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${portOf(server)}`;
};

/** A server with these replies, by command or header. It hangs up after an incomplete line. */
export const startScriptedServer = async (replies: Readonly<Record<string, string | undefined>>) => {
  const said: string[] = [];
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      said.push(line);
      if (!socket.writable) return;
      const reply = replies[line.split(" ", 1)[0] ?? ""];
      if (reply?.endsWith("\r\n")) socket.write(reply);
      else if (reply !== undefined) socket.end(reply);
    });
  });
  return { host, said };
};

/** The replies of a server that accepts everything, for `startScriptedServer`. */
export const willing = {
  EHLO: "250 hello\r\n",
  MAIL: "250 ok\r\n",
  RCPT: "250 ok\r\n",
  DATA: "354 go on\r\n",
};

export const parseMail = (raw: string) => PostalMime.parse(raw);

export const address = (text: string): EmailAddress => valueOf(parseEmailAddress(text));

export const account = (id: string): AccountId => valueOf(parseAccountId(id));

export const settings = {
  from: address("postern@mail.example"),
  publicUrl: "https://postern.example",
};

export const message = { account: account("tenant-1"), to: address("ada@example.com"), token: "tok_en-1" };
