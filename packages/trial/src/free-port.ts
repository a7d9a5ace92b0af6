import { once } from "node:events";
import { createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

const STEP = 100;
const MAX_PORT = 65_535;

/**
 * The preferred port if it is free on loopback, otherwise the first of those a hundred, two hundred, … above it that is. Ports must be known
 * before the servers start, because tokens contain the URL of their issuer, and verification messages the URL of the API. The system does not
 * assign low ones to connections meanwhile.
 *
 * @throws the operating system's error if none of them is free
 */
export const freePort = async (preferred: number): Promise<number> => {
  const probe = createServer();
  try {
    await once(probe.listen(preferred, LOOPBACK), "listening");
  } catch (thrown) {
    if (preferred + STEP > MAX_PORT) throw thrown;
    return freePort(preferred + STEP);
  }
  await once(probe.close(), "close");
  return preferred;
};
