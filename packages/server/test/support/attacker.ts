import { once } from "node:events";
import { connect, type Socket } from "node:net";

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
    closed: async (): Promise<number> => {
      // A paused socket does not notice that it was closed.
      for (const socket of sockets) socket.resume();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return sockets.filter(({ destroyed }) => destroyed).length;
    },
    leave: (): void => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

type Seen = { readonly statuses: readonly number[]; readonly slowestMs: number };

/** Requests `path` every 20 milliseconds for this long, one request at a time. */
export const watch = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  durationMs: number,
): Promise<Seen> => {
  const statuses: number[] = [];
  let slowestMs = 0;
  for (const end = performance.now() + durationMs; performance.now() < end; ) {
    const start = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    statuses.push(response.status);
    slowestMs = Math.max(slowestMs, performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { statuses, slowestMs };
};
