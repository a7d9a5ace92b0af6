import { resolve } from "node:path";
import { ENV } from "../../../configuration/names.ts";
import { withStoreRules } from "../../../configuration/rules.ts";
import { StoreVariables } from "../../../configuration/variables.ts";
import { checkOf, fine } from "../check.ts";
import { checkDynamodbStore } from "./store/dynamodb.ts";
import { storeFiles } from "./store/files.ts";
import { STORE_CHECKS, type StoreFindings } from "./store/findings.ts";
import { checkPostgresStore } from "./store/postgres.ts";
import { checkSqliteStore } from "./store/sqlite.ts";

const IN_MEMORY = fine("the store is in the memory of the server");

const memory: StoreFindings = { store: IN_MEMORY, "store-writes": IN_MEMORY, "store-integrity": IN_MEMORY };

/** Whether there is a store, it can be written, it is as it should be, and there are permissions and space for it. */
export const store = checkOf({
  names: [...STORE_CHECKS, "files", "disk"],
  deadlineMs: 14_000,
  variables: withStoreRules(StoreVariables),
  run: async (configuration) => {
    const { store } = configuration;
    if (store === "sqlite") {
      const path = resolve(configuration.sqlitePath);
      // First, because SQLite creates files while it has the store open.
      const files = await storeFiles(path);
      return { ...(await checkSqliteStore(path)), ...files };
    }
    const unused = {
      files: fine(`none: ${ENV.store} is ${store}`),
      disk: fine(`not used: ${ENV.store} is ${store}`),
    };
    switch (store) {
      case "postgres":
        return { ...(await checkPostgresStore(configuration)), ...unused };
      case "dynamodb":
        return { ...(await checkDynamodbStore(configuration)), ...unused };
      case "memory":
        return { ...memory, ...unused };
    }
  },
});
