/*
 * SQLite's names for its result codes (sqlite.org/rescode.html). The lowest byte of an extended code is its primary code;
 * the next one is its number among the extended codes of that primary code, which start at 1.
 */

const PRIMARY: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  2: "SQLITE_INTERNAL",
  3: "SQLITE_PERM",
  4: "SQLITE_ABORT",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  9: "SQLITE_INTERRUPT",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  12: "SQLITE_NOTFOUND",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  17: "SQLITE_SCHEMA",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
  21: "SQLITE_MISUSE",
  22: "SQLITE_NOLFS",
  23: "SQLITE_AUTH",
  25: "SQLITE_RANGE",
  26: "SQLITE_NOTADB",
};

/** The suffixes that extended codes add to the name of their primary code, in order; only those about the operating system and the file. */
const EXTENDED: Readonly<Record<number, string>> = {
  5: "RECOVERY SNAPSHOT TIMEOUT",
  8: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY",
  10:
    "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS " +
    "CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH " +
    "VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE",
  11: "VTAB SEQUENCE INDEX",
  14: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK",
  19: "CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE",
};

/** The name of a result code, extended or not, such as `SQLITE_IOERR_WRITE`. A code without a known name gets its number. */
export const resultName = (code: number): string => {
  const [primary, extended] = [code & 0xff, code >> 8];
  const name = PRIMARY[primary] ?? `SQLite result code ${primary}`;
  if (extended === 0) return name;
  return `${name}_${EXTENDED[primary]?.split(" ")[extended - 1] ?? extended}`;
};
