import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { until } from "./until.ts";

const isGreeted = async (port: number): Promise<boolean> => {
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => {});
  const [data] = await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => [null]);
  socket.end("QUIT\r\n");
  return String(data).startsWith("220 ");
};

/** Waits until a starting mail server greets its clients on a loopback port. If it does not, stops it, and throws. */
export const untilGreeted = async (
  port: number,
  {
    name,
    process,
    log,
    stop,
  }: {
    readonly name: string;
    readonly process: ChildProcess;
    /** What it wrote to its log. */
    readonly log: () => Promise<string>;
    readonly stop: () => Promise<void>;
  },
): Promise<void> => {
  try {
    await until(`${name} should greet its clients`, () => {
      if (process.exitCode !== null) throw new Error(`${name} has ended`);
      return isGreeted(port);
    });
  } catch (cause) {
    const why = await log();
    await stop();
    throw new Error(`${name} did not start:\n${why}`, { cause });
  }
};
