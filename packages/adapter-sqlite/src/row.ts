import type { SQLOutputValue } from "node:sqlite";
import type { InvalidRequest, Result } from "@postern/core";

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The parsed value. Throws if it is invalid: the file is damaged, or another program wrote to it. */
export const stored = <T>(parsed: Result<T, InvalidRequest>): T => {
  if (parsed.isErr()) throw new Error("a row does not parse");
  return parsed.value;
};
