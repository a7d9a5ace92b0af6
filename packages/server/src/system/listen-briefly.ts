import { once } from "node:events";
import { createServer } from "node:net";
import { systemCode } from "./system-code.ts";

/** Listens for a moment. Returns the system's code, such as EADDRINUSE, if that is not possible. */
export const listenBriefly = async (host: string, port: number): Promise<string | null> => {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
  } catch (error) {
    return systemCode(error);
  }
  server.close();
  await once(server, "close");
  return null;
};
