import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Prepares what the test files of a project share when the first of them fetches `url`, because most files do not need it. Each
 * gets what `prepare` returned, as JSON.
 */
export const onDemand = async (prepare: () => Promise<unknown>) => {
  let prepared: Promise<unknown> | undefined;
  const server = createServer((_, response) => {
    prepared ??= prepare();
    void prepared.then((value) => response.end(JSON.stringify(value)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
};
