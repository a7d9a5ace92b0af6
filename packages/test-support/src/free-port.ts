import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** No system assigns these ports by itself to connections or to listeners on port 0, which other tests open all the time. */
const [FIRST, END] = [10_000, 30_000];

/** A TCP port of the loopback address on which nothing listens at the moment. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(FIRST, END);
  const probe = createServer();
  try {
    await once(probe.listen(port, "127.0.0.1"), "listening");
  } catch {
    return freePort();
  }
  await once(probe.close(), "close");
  return port;
};
