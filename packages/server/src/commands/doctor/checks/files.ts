import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../../system-code.ts";
import { type Finding, fine, together, warning, wrong } from "../check.ts";
import { ofSqliteFile } from "./of-sqlite-file.ts";

const NAME = "files";

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

const { R_OK, W_OK, X_OK } = constants;

const modeOf = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

type Place = { readonly path: string; readonly mode: number; readonly uid: number };

/** What is at the path; null if nothing is. Throws the system's error. */
const placeAt = async (path: string): Promise<Place | null> => {
  try {
    const { mode, uid } = await lstat(path);
    return { path, mode, uid };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
};

const usable = async ({ path }: Place, wanted: number): Promise<Finding> => {
  try {
    await access(path, wanted);
    return fine(NAME, path);
  } catch (error) {
    // SQLite deletes the log when nothing has the store open any more, such as the check of writes.
    if (systemCode(error) === "ENOENT") return fine(NAME, path);
    if (systemCode(error) === "EROFS") {
      return wrong(
        NAME,
        `${path} is on a file system that is mounted read-only`,
        "Mount it with rw. If the kernel did that after errors of the disk, its log says so (dmesg)",
      );
    }
    const uid = process.getuid?.();
    return wrong(
      NAME,
      `this user (uid ${uid}) may not read and write ${path} (${systemCode(error)})`,
      "Give the files and their directory to the user of the server (chown), or run doctor as that user",
    );
  }
};

const privateFile = ({ path, mode }: Place): Finding =>
  (mode & OTHERS) === 0
    ? fine(NAME, path)
    : warning(
        NAME,
        `${path} has mode ${modeOf(mode)}: other users can read the addresses in it`,
        "Change the mode with chmod 600",
      );

const privateDirectory = ({ path, mode }: Place): Finding =>
  (mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0
    ? fine(NAME, path)
    : warning(
        NAME,
        `${path} has mode ${modeOf(mode)}: other users can replace the store`,
        "Change the mode with chmod 700",
      );

/** Commands run as root must not leave files that the service cannot open, and root could open them anyway. */
const sameOwner = (owner: Place, { path, uid }: Place): Finding =>
  uid === owner.uid
    ? fine(NAME, path)
    : wrong(
        NAME,
        `${path} belongs to uid ${uid}, but ${owner.path} to uid ${owner.uid}`,
        `Give it to the owner of the store: chown --reference=${owner.path} ${path}`,
      );

const notRoots = ({ path, uid }: Place): Finding =>
  uid !== 0
    ? fine(NAME, path)
    : warning(
        NAME,
        `${path} belongs to root, so the server seems to run as root`,
        "Run the server as a user of its own, and give that the files and their directory with chown",
      );

/** The directory will be created in the first one upwards that exists. */
const creatable = async (directory: string): Promise<Finding> => {
  const place = await placeAt(dirname(directory));
  if (place === null) return creatable(dirname(directory));
  const found = await usable(place, W_OK | X_OK);
  return found.status === "ok"
    ? fine(NAME, `${directory} does not exist: the server creates it with mode 0700 when it starts`)
    : found;
};

const check = async (path: string): Promise<Finding> => {
  const directory = await placeAt(dirname(path));
  if (directory === null) return creatable(dirname(path));
  const accessible = await usable(directory, R_OK | W_OK | X_OK);
  if (accessible.status !== "ok") return accessible;
  const places = await Promise.all(["", "-wal", "-shm", "-lock"].map((suffix) => placeAt(path + suffix)));
  const files = places.filter((place) => place !== null);
  const [store] = places;
  const findings = await Promise.all([
    privateDirectory(directory),
    ...files.flatMap((file) => [usable(file, R_OK | W_OK), privateFile(file)]),
    ...(store == null ? [] : [notRoots(store), ...files.map((file) => sameOwner(store, file))]),
  ]);
  const found = together(NAME, findings);
  if (found.status !== "ok") return found;
  const owner = store ?? directory;
  return fine(NAME, `the files of the store belong to uid ${owner.uid}, and no other user can use them`);
};

/** Who may read and write the files of a SQLite store. */
export const files = ofSqliteFile(NAME, check, "none");
