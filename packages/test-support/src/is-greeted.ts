import { once } from "node:events";
import { createConnection } from "node:net";

/** Whether a mail server greets whoever connects to this port of loopback. */
export const isGreeted = async (port: number): Promise<boolean> => {
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => {});
  const [data] = await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => [null]);
  socket.end("QUIT\r\n");
  return String(data).startsWith("220 ");
};
