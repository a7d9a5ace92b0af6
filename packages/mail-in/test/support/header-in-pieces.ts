import { splitMessage } from "../../src/split-message.ts";

/* Writes how much memory a header that arrives in pieces of two octets takes just before its end. Needs --expose-gc. */

const PIECES = 100_000;

const used = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const before = used();
const { header } = await splitMessage(
  (async function* () {
    yield Buffer.from("A:");
    for (let n = 1; n < PIECES; n += 1) yield Buffer.from(`${n % 10}.`);
    process.stdout.write(`${used() - before}`);
    yield Buffer.from("\r\n\r\n");
  })(),
);
process.exitCode = header?.length === 2 * PIECES + 2 ? 0 : 1;
