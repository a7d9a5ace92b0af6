import type { MailBody } from "@postern/mail";
import { type BodyFiles, CHUNK } from "./body-files.ts";
import type { StoredBody } from "./calls.ts";

const inChunks = async function* (content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += CHUNK) yield content.subarray(at, at + CHUNK);
};

export const storedBody = (body: StoredBody, files: BodyFiles): MailBody => ({
  size: body.size,
  read: () => ("content" in body ? inChunks(body.content) : files.read(body.file)),
});
