import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../../system-code.ts";
import { type Finding, fine, warning, wrong } from "../check.ts";

/* Who may use files and directories. `check` is the name of the check that asks. */

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

const { R_OK, W_OK, X_OK } = constants;

/** The access that a program needs to a directory in which it creates files. */
export const USE_DIRECTORY = R_OK | W_OK | X_OK;

/** The permissions as `chmod` takes them, such as `0600`. */
export const modeOf = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

export type Place = { readonly path: string; readonly mode: number; readonly uid: number };

/**
 * What is at the path; null if there is nothing. Throws any other system error. Follows symbolic links, which have mode
 * 0777: with `DynamicUser`, systemd makes the state directory one.
 */
export const placeAt = async (path: string): Promise<Place | null> => {
  try {
    const { mode, uid } = await stat(path);
    return { path, mode, uid };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
};

/** @param wanted modes of access(2) */
export const usable = async (check: string, { path }: Place, wanted: number): Promise<Finding> => {
  try {
    await access(path, wanted);
    return fine(check, path);
  } catch (error) {
    // SQLite deletes the log when the last user of the store, such as the check of writes, closes it.
    if (systemCode(error) === "ENOENT") return fine(check, path);
    if (systemCode(error) === "EROFS") {
      return wrong(
        check,
        `${path} is on a file system that is mounted read-only`,
        "Mount it with rw. If the kernel did that after errors of the disk, its log says so (dmesg)",
      );
    }
    const uid = process.getuid?.();
    return wrong(
      check,
      `this user (uid ${uid}) may not read and write ${path} (${systemCode(error)})`,
      "Give the files and their directory to the user of the server (chown), or run doctor as that user",
    );
  }
};

/** @param what what others could replace, such as `the store` */
export const onlyOwnerWrites = (check: string, { path, mode }: Place, what: string): Finding =>
  (mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0
    ? fine(check, path)
    : warning(
        check,
        `${path} has mode ${modeOf(mode)}: other users can replace ${what}`,
        "Change the mode with chmod 700",
      );

/** A directory that does not exist will be created in its nearest existing ancestor. */
export const creatable = async (check: string, directory: string): Promise<Finding> => {
  const inner = async (missing: string): Promise<Finding> => {
    const place = await placeAt(dirname(missing));
    return place === null ? inner(dirname(missing)) : usable(check, place, W_OK | X_OK);
  };
  const found = await inner(directory);
  return found.status === "ok"
    ? fine(check, `${directory} does not exist: the server creates it with mode 0700 when it starts`)
    : found;
};
