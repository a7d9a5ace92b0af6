import { CHUNK } from "./body-files.ts";

/**
 * Regroups the octets into blocks of 64 KiB; only the last one can be shorter. A client can send octet by octet, and each chunk takes
 * about 250 octets of memory and a call to the disk.
 */
export async function* inBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block: Buffer | null = null;
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      block ??= Buffer.allocUnsafe(CHUNK);
      const part = chunk.subarray(at, at + CHUNK - filled);
      block.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < CHUNK) continue;
      yield block;
      block = null;
      filled = 0;
    }
  }
  if (block !== null) yield block.subarray(0, filled);
}
