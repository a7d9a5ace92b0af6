import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { createDkimKey } from "../../src/mail-identity/dkim-key.ts";

/** Makes a key in a new file. */
export const newDkimKey = async (path: string): Promise<void> =>
  (await createDkimKey(path)).match(
    () => {},
    (why) => expect.unreachable(`${path} ${why}`),
  );

/** The public key of the private key in a file, as DNS has it. */
export const publicKeyIn = (path: string): string =>
  createPublicKey(readFileSync(path)).export({ type: "spki", format: "der" }).toString("base64");
