import { constants } from "node:fs";
import { dirname } from "node:path";
import { type Finding, fine, together, warning, wrong } from "../check.ts";
import { ofSqliteFile } from "./of-sqlite-file.ts";
import { creatable, modeOf, onlyOwnerWrites, type Place, placeAt, USE_DIRECTORY, usable } from "./places.ts";

const NAME = "files";

const OTHERS = 0o077;

const { R_OK, W_OK } = constants;

const privateFile = ({ path, mode }: Place): Finding =>
  (mode & OTHERS) === 0
    ? fine(NAME, path)
    : warning(
        NAME,
        `${path} has mode ${modeOf(mode)}: other users can read the addresses in it`,
        "Change the mode with chmod 600",
      );

/** Commands run as root must not leave files that the service cannot open, even though root itself can open them. */
const sameOwner = (owner: Place, { path, uid }: Place): Finding =>
  uid === owner.uid
    ? fine(NAME, path)
    : wrong(
        NAME,
        `${path} belongs to uid ${uid}, but ${owner.path} to uid ${owner.uid}`,
        `Change its owner to that of the store: chown --reference=${owner.path} ${path}`,
      );

const notRoots = ({ path, uid }: Place): Finding =>
  uid !== 0
    ? fine(NAME, path)
    : warning(
        NAME,
        `${path} belongs to root, so the server seems to run as root`,
        "Run the server as a dedicated user, and chown the files and their directory to that user",
      );

const check = async (path: string): Promise<Finding> => {
  const directory = await placeAt(dirname(path));
  if (directory === null) return creatable(NAME, dirname(path));
  const accessible = await usable(NAME, directory, USE_DIRECTORY);
  if (accessible.status !== "ok") return accessible;
  const places = await Promise.all(["", "-wal", "-shm", "-lock"].map((suffix) => placeAt(path + suffix)));
  const files = places.filter((place) => place !== null);
  const [store] = places;
  const findings = await Promise.all([
    onlyOwnerWrites(NAME, directory, "the store"),
    ...files.flatMap((file) => [usable(NAME, file, R_OK | W_OK), privateFile(file)]),
    ...(store == null ? [] : [notRoots(store), ...files.map((file) => sameOwner(store, file))]),
  ]);
  const found = together(NAME, findings);
  if (found.status !== "ok") return found;
  const owner = store ?? directory;
  return fine(NAME, `the files of the store belong to uid ${owner.uid}, and no other user can use them`);
};

/** Who may read and write the files of a SQLite store. */
export const files = ofSqliteFile(NAME, check, "none");
