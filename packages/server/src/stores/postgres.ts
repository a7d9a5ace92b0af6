import { type OpenError, type PostgresStoreOptions, postgresStore } from "@postern/adapter-postgres";
import { err } from "@postern/core";
import { systemClock } from "@postern/node";
import { ENV } from "../configuration/names.ts";
import type { Creation, OpenStore } from "./open-store.ts";

const SCHEMA = {
  create: "migrate",
  "must exist": "must exist",
  alongside: "leave",
} as const satisfies Record<Creation, PostgresStoreOptions["schema"]>;

/** What to do if the message does not say so. */
const REMEDIES = {
  missing: `. Set ${ENV.postgresUrl} to the database of the server`,
  newer_version: "",
  older_version: "",
  unsuitable: "",
  cannot_open: "",
} as const satisfies Record<OpenError["code"], string>;

export const openPostgres: OpenStore = async (configuration, logger, creation, timeoutMs) => {
  const { postgresUrl: url, postgresCaPath, postgresConnections, postgresTimeoutMs } = configuration;
  if (url === undefined) {
    return err({ code: "cannot_open_store", message: `${ENV.postgresUrl} is required` });
  }
  const opened = await postgresStore({
    url,
    caFile: postgresCaPath,
    clock: systemClock,
    schema: SCHEMA[creation],
    connections: postgresConnections,
    timeoutMs: timeoutMs ?? postgresTimeoutMs,
  });
  const { host, port, database } = url;
  const place = { host, port, database };
  // With a wrong URL, for example after a restore, the service would seem to have lost everything.
  if (opened.isOk() && opened.value.created) {
    logger.warn(place, `created a new, empty store in the database ${database} on ${host}`);
  }
  return opened
    .map((store) => ({
      ...store,
      location: { kind: "postgres", ...place } as const,
      extent: async () =>
        (await store.countRecords()).map((count) => ({ counted: "records", count }) as const),
    }))
    .mapErr(({ code, message }) => ({ code: "cannot_open_store", message: `${message}${REMEDIES[code]}` }));
};
