import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The callbacks for the end of each open request of a connection. */
const open = new WeakMap<Socket, Set<() => void>>();

/** How many requests of a connection were passed to `whenOver` and have not ended. */
export const openRequests = (socket: Socket): number => open.get(socket)?.size ?? 0;

/**
 * Calls `end` once, when the response has been sent completely or the client is gone. Also observes the connection: if it
 * is closed, a response that was waiting for earlier ones may never emit `close`.
 */
export const whenOver = ({ socket }: IncomingMessage, response: ServerResponse, end: () => void): void => {
  let ends = open.get(socket);
  if (ends === undefined) {
    const all = new Set<() => void>();
    open.set(socket, all);
    socket.once("close", () => {
      for (const endOne of all) endOne();
    });
    ends = all;
  }
  const ofConnection = ends;
  const endOnce = () => {
    if (ofConnection.delete(endOnce)) end();
  };
  ofConnection.add(endOnce);
  response.on("close", endOnce);
};
