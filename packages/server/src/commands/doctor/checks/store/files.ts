import { dirname } from "node:path";
import { type Found, fine, together, wrong } from "../../check.ts";
import { sizeOf } from "../../size-of.ts";
import { freeSpace, onlyOwners, type Place, placeAt, usableDirectory, usableFile } from "../places.ts";

/** Commands run as root must not leave files that the service cannot open, even though root itself can open them. */
const sameOwner = (store: Place, { path, uid }: Place): Found =>
  uid === store.uid
    ? fine(path)
    : wrong(
        `${path} belongs to uid ${uid}, but ${store.path} to uid ${store.uid}`,
        `Change its owner to that of the store: chown --reference=${store.path} ${path}`,
      );

/** Who may read and write the files of a SQLite store. */
const permissions = async (path: string): Promise<Found> => {
  const directory = await usableDirectory(dirname(path));
  if (directory.status !== "ok") return directory;
  const places = await Promise.all(["", "-wal", "-shm", "-lock"].map((suffix) => placeAt(path + suffix)));
  const [store, ...others] = places.filter((place) => place !== null);
  if (store === undefined) return directory;
  const files = [store, ...others];
  const found = together(
    ...(await Promise.all(files.map(usableFile))),
    ...files.map((file) => onlyOwners(file, "600", "read the addresses in it")),
    ...others.map((file) => sameOwner(store, file)),
  );
  return found.status === "ok"
    ? fine(`the files of the store belong to uid ${store.uid}, and no other user can use them`)
    : found;
};

/** Whether a SQLite store has the permissions and the space that it needs. */
export const storeFiles = async (path: string) => {
  const files = await permissions(path);
  const size = (await placeAt(path).catch(() => null))?.size ?? 0;
  // VACUUM and a backup beside the store write a copy of it.
  return { files, disk: await freeSpace(dirname(path), 2 * size, `and the store has ${sizeOf(size)}`) };
};
