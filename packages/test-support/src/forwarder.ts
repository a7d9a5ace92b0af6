import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export type Forwarder = {
  readonly port: number;
  /** From now on, new connections lead to this port. */
  leadTo(port: number): void;
  /** Everything that clients have sent. */
  sent(): string;
  /** Closes all connections. */
  cut(): void;
  /** Passes nothing on any more over connections that are open now, and leaves them open, as a router that has forgotten them. */
  forget(): void;
  /** How many octets were sent over connections after they were forgotten. */
  lost(): number;
  stop(): void;
};

/**
 * A loopback port that leads to another one, which may become known only later: for two servers that each need the other's port
 * when they start.
 */
export const startForwarder = async (): Promise<Forwarder> => {
  let target = 0;
  const sent: Buffer[] = [];
  const sockets = new Set<Socket>();
  let lost = 0;
  const server = createServer((client) => {
    const to = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [client, to],
      [to, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    client.on("data", (data: Buffer) => sent.push(data));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return {
    port: address.port,
    leadTo: (port: number) => {
      target = port;
    },
    sent: () => Buffer.concat(sent).toString("latin1"),
    cut,
    forget: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners("close");
        socket.on("data", (data: Buffer) => {
          lost += data.length;
        });
        socket.resume();
      }
    },
    lost: () => lost,
    stop: () => {
      cut();
      server.close();
    },
  };
};
