import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CAN_MOUNT } from "@postern/test-support/can-mount";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, onTestFinished, test, vi } from "vitest";
import { flushedApart } from "../src/file/durability.ts";
import { openLog } from "../src/file/log-file.ts";
import { newDisk } from "./support/disk.ts";

const MIB = 2 ** 20;

const openIn = (directory: string) => {
  const path = join(directory, "file.db");
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE some (content BLOB)");
  const truncateLog = () => db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  const durability = flushedApart(openLog(db, path), truncateLog);
  onTestFinished(durability.close);
  return {
    durability,
    truncateLog,
    write: (octets: number) => db.exec(`DELETE FROM some; INSERT INTO some VALUES (zeroblob(${octets}))`),
    size: () => statSync(`${path}-wal`).size,
  };
};

test("a long log is written to the database, and starts over", () => {
  const { durability, write, size } = openIn(newDirectory());
  const sizes = Array.from({ length: 12 }, () => {
    write(MIB);
    durability.committed();
    return size();
  });
  expect(Math.max(...sizes)).toBeLessThan(6 * MIB);
  const long = sizes.findIndex((octets) => octets > 4 * MIB);
  expect(sizes[long + 1]).toBe(4 * MIB);
});

test.skipIf(!CAN_MOUNT)(
  "if the log cannot be flushed before it is written to the database, nobody who waits is told that it was",
  () => {
    const disk = newDisk();
    const { durability, truncateLog, write } = openIn(disk.path);
    write(MIB);
    durability.written("a");
    disk.cutPower();
    expect(durability.checkpoint(truncateLog)).toBe(false);
    const tell = vi.fn();
    durability.afterWrite(Number.POSITIVE_INFINITY, tell);
    expect(tell.mock.calls).toMatchObject([[{ message: "SQLITE_IOERR_FSYNC" }]]);
    expect(durability.ensure).toThrow("SQLITE_IOERR_FSYNC");
  },
);
