import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The callbacks for the end of each open request of a connection. Lists, not sets: while values are added to a set and deleted from
 * it, V8 replaces its table now and then, and the old table keeps its contents alive until a full garbage collection. About a third
 * of all requests stayed in memory that way.
 */
const open = new WeakMap<Socket, (() => void)[]>();

/** How many requests of a connection were passed to `whenOver` and have not ended. */
export const openRequests = (socket: Socket): number => open.get(socket)?.length ?? 0;

/**
 * Calls `end` once, when the response has been sent completely or the client is gone. Also observes the connection: if it
 * is closed, a response that was waiting for earlier ones may never emit `close`.
 */
export const whenOver = ({ socket }: IncomingMessage, response: ServerResponse, end: () => void): void => {
  let ends = open.get(socket);
  if (ends === undefined) {
    const all: (() => void)[] = [];
    open.set(socket, all);
    socket.once("close", () => {
      for (const endOne of [...all]) endOne();
    });
    ends = all;
  }
  const ofConnection = ends;
  const endOnce = () => {
    const index = ofConnection.indexOf(endOnce);
    if (index === -1) return;
    ofConnection.splice(index, 1);
    end();
  };
  ofConnection.push(endOnce);
  response.on("close", endOnce);
};
