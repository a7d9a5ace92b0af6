import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  inspectSqlite,
  isSqliteInUse,
  type NotIntact,
  type OpenError,
  probeSqlite,
  type SqliteFile,
  verifySqlite,
} from "@postern/adapter-sqlite";
import type { Cause } from "@postern/core";
import type { StoreConfiguration } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { type Finding, fine, warning, wrong } from "../check.ts";
import { sizeOf } from "../size-of.ts";
import { skippedAfter } from "../skipped.ts";
import { INTEGRITY, STORE, WRITES } from "./store-names.ts";

const WRITE_TIMEOUT_MS = 3_000;
const VERIFY_TIMEOUT_MS = 10_000;

const RESTORE = "Stop the server, keep a copy of the file, and restore the last backup (docs/sqlite.md)";

const actionOf = (error: OpenError): string => {
  switch (error.code) {
    case "missing":
      return `The server creates a store there when it starts. If there should be data, correct ${ENV.sqlitePath} or restore a backup`;
    case "not_a_store":
      return `Correct ${ENV.sqlitePath}, or restore a backup`;
    case "newer_version":
      return "Run the newer version, or restore the backup from before the upgrade";
    case "in_use":
      return "Stop the other program that uses it, such as a sqlite3 shell";
    case "older_version":
    case "cannot_open":
      return "See files and disk in this report: without permission, or without space for a -shm file, it cannot be opened. If both are fine, the file may be damaged: keep a copy of it and restore the last backup (docs/sqlite.md)";
  }
};

const notOpened = (error: OpenError, inUse: boolean): readonly Finding[] => {
  if (error.code !== "missing") {
    return [wrong(STORE, error.message, actionOf(error)), ...skippedAfter([WRITES, INTEGRITY], STORE)];
  }
  if (inUse) {
    return [
      wrong(
        STORE,
        `a running server has the store open, but ${error.message}: it was moved or deleted`,
        "Move the file back, and its -wal. If it was deleted, do not stop the server before you have copied it from /proc/PID/fd: until then, the kernel keeps it",
      ),
      ...skippedAfter([WRITES, INTEGRITY], STORE),
    ];
  }
  return [
    warning(STORE, error.message, actionOf(error)),
    ...[WRITES, INTEGRITY].map((name) => fine(name, "there is no store yet")),
  ];
};

const opened = (path: string, { version, supported, bytes }: SqliteFile, inUse: boolean): Finding => {
  const use = inUse ? "in use by a running server" : "not in use: no server is running on it";
  const found = `${path}, schema version ${version}, ${sizeOf(bytes)}, ${use}`;
  if (version === supported) return fine(STORE, found);
  return warning(
    STORE,
    `${found}; this version of the server has schema version ${supported}`,
    "The next start of this version migrates the file: make a backup first",
  );
};

const writeAction = ({ reason }: Cause): string => {
  if (/^SQLITE_(FULL|IOERR)/.test(reason)) {
    return "Free space, or raise the quota; look for errors of the disk in the kernel's log (dmesg). The server needs no restart";
  }
  if (reason.startsWith("SQLITE_BUSY")) {
    return "Stop the other program that writes to it, such as a sqlite3 shell with an open transaction";
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM)/.test(reason)) {
    return "Make the file and its directory writable for the user of the server, and the file system too (mount)";
  }
  return RESTORE;
};

const writable = async (path: string): Promise<Finding> => {
  const start = performance.now();
  const written = await probeSqlite(path, WRITE_TIMEOUT_MS);
  if (written.isErr()) {
    return wrong(WRITES, `a write failed (${written.error.reason})`, writeAction(written.error));
  }
  return fine(WRITES, `a write reached the disk after ${Math.ceil(performance.now() - start)} ms`);
};

const notIntact = ({ code, cause: { reason } }: NotIntact): Finding => {
  switch (code) {
    case "damaged":
      return wrong(INTEGRITY, `the file is damaged (${reason})`, RESTORE);
    case "wrong_index":
      return wrong(
        INTEGRITY,
        `searches can miss aliases (${reason})`,
        "Rebuild the index, as docs/sqlite.md describes under Searches. Nothing else is damaged",
      );
    case "not_checked":
      return wrong(
        INTEGRITY,
        `could not be checked (${reason})`,
        "Try again. If this persists, look for disk errors and for killed processes in the kernel's log (dmesg)",
      );
  }
};

const intact = async (path: string): Promise<Finding> => {
  const start = performance.now();
  const verified = await verifySqlite(path, VERIFY_TIMEOUT_MS);
  if (verified.isErr()) return notIntact(verified.error);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  switch (verified.value) {
    case "intact":
      return fine(INTEGRITY, `no damage found in ${seconds} s`);
    case "unfinished":
      return warning(
        INTEGRITY,
        `the file is too large to be checked in ${VERIFY_TIMEOUT_MS / 1000} s`,
        "Run `backup`, which checks the whole copy",
      );
  }
};

export const checkSqliteStore = async ({
  sqlitePath,
}: Pick<StoreConfiguration, "sqlitePath">): Promise<readonly Finding[]> => {
  const path = resolve(sqlitePath);
  // Unlike the calls below, this does not block the process if the disk hangs.
  await access(dirname(path)).catch(() => {});
  const file = inspectSqlite(path);
  const inUse = isSqliteInUse(path);
  if (file.isErr()) return notOpened(file.error, inUse);
  const [written, verified] = await Promise.all([writable(path), intact(path)]);
  return [opened(path, file.value, inUse), written, verified];
};
