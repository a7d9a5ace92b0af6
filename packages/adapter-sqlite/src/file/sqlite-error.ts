/** SQLite's primary result codes (sqlite.org/rescode.html) that are handled specially. */
export const BUSY = 5;
export const CORRUPT = 11;
export const FULL = 13;
export const NOT_A_DATABASE = 26;

/** The extended one for a file that could not be flushed. */
export const IOERR_FSYNC = 1034;

/** The extended result code of an error of `node:sqlite`; null for any other error. */
export const extendedResultCode = (cause: unknown): number | null =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode : null;

/** Likewise its primary result code. */
export const resultCode = (cause: unknown): number | null => {
  const code = extendedResultCode(cause);
  return code === null ? null : code & 0xff;
};

/** Whether a result code, extended or not, says that the file is damaged. */
export const isDamage = (code: number): boolean => [CORRUPT, NOT_A_DATABASE].includes(code & 0xff);

/** Whether the error says that the file is damaged. */
export const saysDamaged = (cause: unknown): boolean => isDamage(resultCode(cause) ?? 0);

/** The error message of the operating system or SQLite. It can name files, but never contains their content. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "unknown reason";
