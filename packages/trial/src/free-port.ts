import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

/**
 * The preferred port if it is free on loopback, otherwise another free one. Ports must be known before the servers start,
 * because tokens contain the URL of their issuer, and verification messages the URL of the API.
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
