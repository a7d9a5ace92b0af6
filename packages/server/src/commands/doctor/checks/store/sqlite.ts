import { access } from "node:fs/promises";
import { dirname } from "node:path";
import {
  inspectSqlite,
  isSqliteInUse,
  type NotIntact,
  type OpenError,
  probeSqlite,
  type SqliteFile,
  verifySqlite,
} from "@postern/adapter-sqlite";
import { ENV } from "../../../../configuration/names.ts";
import { type Found, fine, warning, wrong } from "../../check.ts";
import { sizeOf } from "../../size-of.ts";
import { onlyStore, type StoreFindings, storeLater } from "./findings.ts";

const WRITE_TIMEOUT_MS = 3_000;
const VERIFY_TIMEOUT_MS = 10_000;

const RESTORE = "Stop the server, keep a copy of the file, and restore the last backup (docs/sqlite.md)";

const UNCLEAR =
  "See files and disk in this report: without permission, or without space for a -shm file, it cannot be opened. If both are fine, the file may be damaged: keep a copy of it and restore the last backup (docs/sqlite.md)";

const OPEN_ACTIONS = {
  missing: `The server creates a store there when it starts. If there should be data, correct ${ENV.sqlitePath} or restore a backup`,
  not_a_store: `Correct ${ENV.sqlitePath}, or restore a backup`,
  newer_version: "Run the newer version, or restore the backup from before the upgrade",
  older_version: UNCLEAR,
  in_use: "Stop the other program that uses it, such as a sqlite3 shell",
  cannot_open: UNCLEAR,
} as const satisfies Record<OpenError["code"], string>;

const notOpened = ({ code, message }: OpenError, inUse: boolean): StoreFindings => {
  if (code !== "missing") return onlyStore(wrong(message, OPEN_ACTIONS[code]));
  return inUse
    ? onlyStore(
        wrong(
          `a running server has the store open, but ${message}: it was moved or deleted`,
          "Move the file back, and its -wal. If it was deleted, do not stop the server before you have copied it from /proc/PID/fd: until then, the kernel keeps it",
        ),
      )
    : storeLater(warning(message, OPEN_ACTIONS.missing), "there is no store yet");
};

const opened = (path: string, { version, supported, bytes }: SqliteFile, inUse: boolean): Found => {
  const use = inUse ? "in use by a running server" : "not in use: no server is running on it";
  const found = `${path}, schema version ${version}, ${sizeOf(bytes)}, ${use}`;
  return version === supported
    ? fine(found)
    : warning(
        `${found}; this version of the server has schema version ${supported}`,
        "The next start of this version migrates the file: make a backup first",
      );
};

const writeAction = (reason: string): string => {
  if (/^SQLITE_(FULL|IOERR)/.test(reason)) {
    return "Free space, or raise the quota; look for errors of the disk in the kernel's log (dmesg). The server needs no restart";
  }
  if (reason.startsWith("SQLITE_BUSY")) {
    return "Stop the other program that writes to it, such as a sqlite3 shell with an open transaction";
  }
  return /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(reason)
    ? "Make the file and its directory writable for the user of the server, and the file system too (mount)"
    : RESTORE;
};

const writable = async (path: string): Promise<Found> => {
  const start = performance.now();
  return (await probeSqlite(path, WRITE_TIMEOUT_MS)).match(
    () => fine(`a write reached the disk after ${Math.ceil(performance.now() - start)} ms`),
    ({ reason }) => wrong(`a write failed (${reason})`, writeAction(reason)),
  );
};

const notIntact = ({ code, cause: { reason } }: NotIntact): Found => {
  switch (code) {
    case "damaged":
      return wrong(`the file is damaged (${reason})`, RESTORE);
    case "wrong_index":
      return wrong(
        `searches can miss aliases (${reason})`,
        "Rebuild the index, as docs/sqlite.md describes under Searches. Nothing else is damaged",
      );
    case "not_checked":
      return wrong(
        `could not be checked (${reason})`,
        "Try again. If this persists, look for disk errors and for killed processes in the kernel's log (dmesg)",
      );
  }
};

const intact = async (path: string): Promise<Found> => {
  const start = performance.now();
  const verified = await verifySqlite(path, VERIFY_TIMEOUT_MS);
  if (verified.isErr()) return notIntact(verified.error);
  return verified.value === "intact"
    ? fine(`no damage found in ${((performance.now() - start) / 1000).toFixed(1)} s`)
    : warning(
        `the file is too large to be checked in ${VERIFY_TIMEOUT_MS / 1000} s`,
        "Run `backup`, which checks the whole copy",
      );
};

export const checkSqliteStore = async (path: string): Promise<StoreFindings> => {
  // Unlike the calls below, this does not block the process if the disk hangs.
  await access(dirname(path)).catch(() => {});
  const file = inspectSqlite(path);
  const inUse = isSqliteInUse(path);
  if (file.isErr()) return notOpened(file.error, inUse);
  const [written, verified] = await Promise.all([writable(path), intact(path)]);
  return { store: opened(path, file.value, inUse), "store-writes": written, "store-integrity": verified };
};
