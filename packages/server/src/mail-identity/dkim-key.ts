import { createPublicKey, generateKeyPair } from "node:crypto";
import {
  closeSync,
  constants,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { type DkimKeyInvalid, MIN_DKIM_KEY_BITS, parseDkimKey } from "@postern/adapter-smtp/dkim-key";
import { err, ok, type Result } from "@postern/core";
import { credentialOr } from "../configuration/credential.ts";
import { ENV } from "../configuration/names.ts";
import { systemCode } from "../system/system-code.ts";

/** Larger than any key that can sign in reasonable time. */
const MAX_BYTES = 64 * 1024;

const OTHERS = 0o077;

/** The key that signs forwarded mail. */
export type DkimKey = {
  /** The private key, as PEM. */
  readonly pem: string;
  readonly bits: number;
  /** The public key as DNS publishes it: SubjectPublicKeyInfo in DER, in base64. */
  readonly publicKey: string;
  /** The mode of the file if other users of this machine can read it; null if they cannot. */
  readonly exposedMode: string | null;
};

const whyInvalid = (invalid: DkimKeyInvalid): string => {
  switch (invalid.code) {
    case "unreadable":
      return "is not an unencrypted private key in PEM format";
    case "not_rsa":
      return `has a key of type ${invalid.type}: RSA is needed`;
    case "too_short":
      return `has a key of ${invalid.bits} bits: at least ${MIN_DKIM_KEY_BITS} are needed`;
  }
};

/** Reads the key. A failure continues a sentence that starts with the path, and says nothing about the content. */
export const readDkimKey = (path: string): Result<DkimKey, string> => {
  const place = credentialOr(path);
  try {
    const { size, mode } = statSync(place);
    if (size > MAX_BYTES) return err("is too large to be a key");
    const pem = readFileSync(place, "utf8");
    const parsed = parseDkimKey(pem);
    if (parsed.isErr()) return err(whyInvalid(parsed.error));
    const { key, bits } = parsed.value;
    const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
    const exposedMode = (mode & OTHERS) === 0 ? null : (mode & 0o777).toString(8).padStart(4, "0");
    return ok({ pem, bits, publicKey, exposedMode });
  } catch (error) {
    return err(`cannot be read (${systemCode(error)})`);
  }
};

/**
 * Generates a 2048-bit key and writes it to a new file that only its owner can read; it is on disk when this resolves. If
 * root creates the file, it belongs to the owner of the directory. A failure continues a sentence that starts with the path.
 */
export const createDkimKey = async (path: string): Promise<Result<void, string>> => {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: MIN_DKIM_KEY_BITS });
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      const { uid, gid } = statSync(dirname(path));
      if (process.getuid?.() === 0) fchownSync(file, uid, gid);
      writeSync(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
      fsyncSync(file);
    } catch (error) {
      // Half a key would get in the way of the next attempt.
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    const directory = openSync(dirname(path), constants.O_RDONLY);
    fsyncSync(directory);
    closeSync(directory);
    return ok();
  } catch (error) {
    const code = systemCode(error);
    return err(
      code === "EEXIST"
        ? `already exists, and is never overwritten. To replace the key, set ${ENV.dkimKey} to a new file and ${ENV.dkimSelector} to a new selector`
        : `cannot be created (${code})`,
    );
  }
};
