import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ENV } from "../../../configuration/names.ts";
import type { Finding } from "../check.ts";
import { sizeOf } from "../size-of.ts";
import { checkDisk } from "./check-disk.ts";
import { ofSqliteFile } from "./of-sqlite-file.ts";

const NAME = "disk";

const check = async (path: string): Promise<Finding> => {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return checkDisk(dirname(path), {
    check: NAME,
    what: "the store",
    // VACUUM and a backup beside the store write a copy of it.
    needs: 2 * size,
    why: `and the store has ${sizeOf(size)}`,
    insteadOfNetwork: `Move it to a local disk, or use ${ENV.store}=postgres or dynamodb`,
  });
};

/** Whether a SQLite store is on a suitable disk with enough space. */
export const disk = ofSqliteFile(NAME, check, "not used");
