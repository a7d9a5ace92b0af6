import { join, resolve } from "node:path";
import { readVariables } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { type Finding, fine, together, warning, wrong } from "../../check.ts";
import { sizeOf } from "../../size-of.ts";
import { skipped } from "../../skipped.ts";
import { checkDisk } from "../check-disk.ts";
import { creatable, modeOf, type Place, placeAt, USE_DIRECTORY, usable } from "../places.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const NAME = "spool";

const Needed = Variables.pick({ spoolPath: true, spoolLimit: true });

const OTHERS = 0o077;

const onlyOwners = ({ path, mode }: Place): Finding =>
  (mode & OTHERS) === 0
    ? fine(NAME, path)
    : warning(
        NAME,
        `${path} has mode ${modeOf(mode)}: other users can look into the mail in it`,
        "Change the mode with chmod 700",
      );

const permissions = async (path: string): Promise<Finding> => {
  const directory = await placeAt(path);
  if (directory === null) return creatable(NAME, path);
  const found = together(NAME, [await usable(NAME, directory, USE_DIRECTORY), onlyOwners(directory)]);
  return found.status === "ok"
    ? fine(NAME, `${path} belongs to uid ${directory.uid}, and no other user can use it`)
    : found;
};

/** Whether the database is still there, if there was one. */
const database = async (path: string): Promise<Finding> => {
  const places = ["spool.db", "spool.db-wal", "spool.db-lock", "bodies"].map((name) =>
    placeAt(join(path, name)),
  );
  const [found, ...others] = await Promise.all(places);
  return found !== null || others.every((other) => other === null)
    ? fine(NAME, path)
    : wrong(
        NAME,
        `${join(path, "spool.db")} is missing, though there was a spool in this directory: it was moved or deleted`,
        "Move it back, with its -wal and bodies. If it was deleted, a running server refuses mail, but still sends what was in it: wait until postern_mail_queued_copies is 0, then restart it",
      );
};

/** Whether accepted mail can be stored. */
export const spool = ifMailIsReceived(NAME, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped([NAME], read.error);
  const path = resolve(read.value.spoolPath);
  const limit = read.value.spoolLimit;
  const disk = await checkDisk(path, {
    check: NAME,
    what: "the spool",
    needs: limit,
    why: `and ${ENV.spoolLimit} is ${sizeOf(limit)}`,
    insteadOfNetwork: `Set ${ENV.spoolPath} to a directory on a local disk`,
  });
  return [together(NAME, [await permissions(path), await database(path), disk])];
});
