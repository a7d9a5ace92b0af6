import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** Connections that send the given bytes and never read. */
export const attackerOf = (url: string) => {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  return {
    /** Opens connections that each send these bytes and stay open. Resolves once all of them are connected. */
    open: async (count: number, bytes: (index: number) => string): Promise<void> => {
      const opened = Array.from({ length: count }, async (_, index) => {
        const socket = connect(Number(port), hostname).pause();
        sockets.push(socket);
        // The server may reset it.
        socket.on("error", () => {});
        socket.write(bytes(index));
        await once(socket, "connect").catch(() => {});
      });
      await Promise.all(opened);
    },
    /** How many connections the server has closed. */
    closed: (): number => {
      // A paused socket does not notice that it was closed.
      for (const socket of sockets) socket.resume();
      return sockets.filter(({ destroyed }) => destroyed).length;
    },
    leave: (): void => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** The statuses that this many requests get, one after the other, 20 milliseconds apart. */
export const watch = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  requests: number,
): Promise<readonly number[]> => {
  const statuses: number[] = [];
  while (statuses.length < requests) {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    statuses.push(response.status);
    await setTimeout(20);
  }
  return statuses;
};
