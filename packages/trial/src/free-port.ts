import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

/**
 * The port, if nobody else on loopback has it, or else one that is free. Both addresses must be known before
 * anything serves: tokens name their issuer and mails the server.
 */
export const freePort = async (preferred: number): Promise<number> => {
  const probe = createServer();
  try {
    probe.listen(preferred, LOOPBACK);
    await once(probe, "listening");
  } catch {
    probe.listen(0, LOOPBACK);
    await once(probe, "listening");
  }
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
};
