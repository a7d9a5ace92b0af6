import { isUtf8 } from "node:buffer";
import { err, ok, type Result } from "@postern/core";

/** The maximum length of a line, in bytes: 1 MiB. Exported lines are much shorter. */
export const MAX_LINE_LENGTH = 2 ** 20;

const LINE_FEED = 0x0a;

/** Why a line was not read. */
export type UnreadableLine = { readonly code: "too_long" } | { readonly code: "not_utf8" };

const decoded = (parts: readonly Uint8Array[]): Result<string, UnreadableLine> => {
  const bytes = Buffer.concat(parts);
  // Decoding would replace invalid bytes, and the replacements would be stored.
  return isUtf8(bytes) ? ok(bytes.toString("utf8")) : err({ code: "not_utf8" });
};

/**
 * The lines of a stream of bytes, without their line feeds, which the last line may lack. Keeps at most one line and one
 * chunk in memory: a line over `MAX_LINE_LENGTH` is skipped as it arrives, and reported as `too_long`. Rejects if the stream
 * fails.
 *
 * @example
 * ```ts
 * for await (const line of readLines(createReadStream("postern.jsonl"))) {
 *   const record = line.andThen(readRecord);
 * }
 * ```
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Result<string, UnreadableLine>> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > MAX_LINE_LENGTH) parts = [];
    else parts.push(part);
  };
  const take = (): Result<string, UnreadableLine> => {
    const line = length > MAX_LINE_LENGTH ? err({ code: "too_long" } as const) : decoded(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}
