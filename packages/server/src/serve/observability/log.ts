/** Writes a line to the log. `fields` contain no addresses and no secrets. */
type Log = (fields: object, message: string) => void;

export type LogLevel = "debug" | "info" | "warn" | "error";

/** The part of a logger that works from every thread. */
export type LogLines = Readonly<Record<LogLevel, Log>>;
