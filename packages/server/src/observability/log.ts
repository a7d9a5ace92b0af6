/** Writes a line to the log. `fields` contain no addresses and no secrets. */
type Log = (fields: object, message: string) => void;

/** The part of a logger that works from every thread. */
export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogLines = Readonly<Record<LogLevel, Log>>;
