/** SQLite's primary result codes (sqlite.org/rescode.html) that mean something of their own here. */
export const BUSY = 5;
export const NOT_A_DATABASE = 26;

/** The primary result code of what `node:sqlite` threw; null of any other thing thrown. */
export const resultCode = (cause: unknown): number | null =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number"
    ? cause.errcode & 0xff
    : null;

/** What the system or SQLite says. It names files, never what is in them. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "unknown reason";
