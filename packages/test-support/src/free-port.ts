import { once } from "node:events";
import { createServer } from "node:net";

/** A TCP port of the loopback address on which nothing listens at the moment. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the server has no TCP port");
  return address.port;
};
