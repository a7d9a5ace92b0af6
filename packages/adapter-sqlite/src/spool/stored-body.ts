import { BodyGone, type MailBody } from "@postern/mail";
import { type BodyFiles, CHUNK } from "./body-files.ts";
import type { StoredBody } from "./calls.ts";

const inChunks = async function* (content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += CHUNK) yield content.subarray(at, at + CHUNK);
};

/** Without this, what is left of a damaged file would be taken for the whole body. */
const whole = async function* (chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of chunks) {
    left -= chunk.length;
    yield chunk;
  }
  if (left !== 0) throw new BodyGone();
};

export const storedBody = (body: StoredBody, files: BodyFiles): MailBody => ({
  size: body.size,
  read: () => ("content" in body ? inChunks(body.content) : whole(files.read(body.file), body.size)),
});
