import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { err, ok, type Result } from "@postern/core";

/** Writes the lines to standard output, no faster than they are read. Fails with the reason if that is not possible. */
export const printLines = async (
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<Result<void, string>> => {
  const broken = (async function* () {
    for await (const line of lines) yield `${line}\n`;
  })();
  try {
    await pipeline(Readable.from(broken), process.stdout, { end: false });
    return ok();
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    return err(`Cannot write to standard output (${cause.code})`);
  }
};
