import { resolve } from "node:path";
import { readStoreConfiguration } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { type Check, type Finding, fine } from "../check.ts";
import { skipped } from "../skipped.ts";

/** A check of a SQLite store's file. With any other store, the finding is ok: `otherwise`, followed by the kind of store. */
export const ofSqliteFile = (
  name: string,
  check: (path: string) => Promise<Finding>,
  otherwise: string,
): Check => ({
  names: [name],
  run: async (environment) => {
    const read = readStoreConfiguration(environment);
    if (read.isErr()) return skipped([name], read.error);
    const { store, sqlitePath } = read.value;
    return [
      store === "sqlite"
        ? await check(resolve(sqlitePath))
        : fine(name, `${otherwise}: ${ENV.store} is ${store}`),
    ];
  },
});
