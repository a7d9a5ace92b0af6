import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** A clock in a file, for several processes. It stands still until one of them advances it, by a number of milliseconds. */
export type SharedClock = { now(): number; advance(milliseconds: number): void; close(): void };

/** @param start epoch milliseconds; without it, the file must exist */
export const sharedClock = (path: string, start?: number): SharedClock => {
  const file = openSync(path, start === undefined ? "r+" : "w+");
  const octets = Buffer.alloc(8);
  const write = (time: number): void => {
    octets.writeDoubleBE(time);
    writeSync(file, octets, 0, 8, 0);
  };
  const now = (): number => {
    readSync(file, octets, 0, 8, 0);
    return octets.readDoubleBE();
  };
  if (start !== undefined) write(start);
  return { now, advance: (milliseconds) => write(now() + milliseconds), close: () => closeSync(file) };
};
