import { err, type Result, type Unavailable } from "@postern/core";
import { printLines } from "./print-lines.ts";

/** How many lines were written, and why the list ended early, if it did. */
type Printed = { readonly count: number; readonly failure: Unavailable | null };

/** Writes a line for each value to standard output, until one cannot be read. */
export const printEach = async <T>(
  values: AsyncIterable<Result<T, Unavailable>>,
  format: (value: T) => string,
): Promise<Result<Printed, string>> => {
  let count = 0;
  let failure: Unavailable | null = null;
  async function* lines() {
    for await (const value of values) {
      if (value.isErr()) {
        failure = value.error;
        return;
      }
      yield format(value.value);
      count += 1;
    }
  }
  const printed = await printLines(lines());
  return printed.isErr()
    ? err(`${printed.error}: the list is incomplete.`)
    : printed.map(() => ({ count, failure }));
};
