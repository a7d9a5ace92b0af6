import {
  inspectPostgres,
  isLocal,
  type OpenError,
  type PostgresDatabase,
  type PostgresLocation,
  type PostgresUrl,
  postgresStore,
} from "@postern/adapter-postgres";
import { systemClock } from "@postern/node";
import type { StoreConfiguration } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { explainCause } from "../../explain-cause.ts";
import { type Finding, fine, together, warning, wrong } from "../check.ts";
import { sizeOf } from "../size-of.ts";
import { skippedAfter } from "../skipped.ts";
import { INTEGRITY, STORE, WRITES } from "./store-names.ts";

const VERIFY_TIMEOUT_MS = 8_000;

const actionOf = ({ code }: OpenError): string => {
  switch (code) {
    case "missing":
      return `The server creates its tables there when it starts. If there should be data, correct ${ENV.postgresUrl} or restore a backup`;
    case "newer_version":
      return "Run the newer version, or restore the backup from before the upgrade";
    case "older_version":
      return "The next start of this version migrates it: make a backup first";
    case "unsuitable":
      return "Use another server or database: docs/postgres.md says what is needed";
    case "cannot_open":
      return `Correct ${ENV.postgresUrl}, or what the message says: see docs/postgres.md`;
  }
};

const connection = (url: PostgresUrl, { encrypted }: PostgresDatabase): Finding => {
  if (isLocal(url)) return fine(STORE, "on this machine");
  if (!encrypted) {
    return warning(
      STORE,
      "the connection is not encrypted",
      `Turn on TLS on the server, and remove sslmode=disable from ${ENV.postgresUrl}`,
    );
  }
  return url.sslMode === "verify-full"
    ? fine(STORE, "encrypted")
    : warning(
        STORE,
        "the connection is encrypted, but the server's certificate is not verified",
        `Set ${ENV.postgresCaPath} to its certificate authority, and remove sslmode from ${ENV.postgresUrl}`,
      );
};

const version = ({ version, supported }: PostgresDatabase): Finding =>
  version === supported
    ? fine(STORE, "up to date")
    : warning(
        STORE,
        `this version of the server has schema version ${supported}`,
        "The next start of this version migrates the tables: make a backup first",
      );

const durability = ({ unsafe }: PostgresDatabase): Finding =>
  unsafe.length === 0
    ? fine(STORE, "durable")
    : warning(
        STORE,
        `a crash of the database's machine would lose acknowledged writes (${unsafe.join(", ")})`,
        "Turn on these settings of PostgreSQL",
      );

const writes = async (location: PostgresLocation): Promise<Finding> => {
  const opened = await postgresStore({ ...location, clock: systemClock, schema: "leave", connections: 1 });
  if (opened.isErr()) return wrong(WRITES, opened.error.message, actionOf(opened.error));
  try {
    const written = await opened.value.ping();
    return written.isOk()
      ? fine(WRITES, "wrote a row that nothing else uses")
      : wrong(
          WRITES,
          `writing failed (${explainCause(written.error)})`,
          `If it is read-only, set ${ENV.postgresUrl} to the primary server; otherwise see PostgreSQL's log`,
        );
  } finally {
    await opened.value.close();
  }
};

/** Looks for the first difference that `store check` would find. */
const integrity = async (location: PostgresLocation): Promise<Finding> => {
  const opened = await postgresStore({
    ...location,
    clock: systemClock,
    schema: "leave",
    connections: 1,
    timeoutMs: VERIFY_TIMEOUT_MS,
  });
  if (opened.isErr()) return warning(INTEGRITY, opened.error.message, actionOf(opened.error));
  const store = opened.value;
  let over = false;
  const timer = setTimeout(async () => {
    over = true;
    await store.close();
  }, VERIFY_TIMEOUT_MS);
  try {
    for await (const found of store.differences(() => {})) {
      if (found.isOk()) {
        return wrong(
          INTEGRITY,
          `redundant data differs (${found.value.kind})`,
          "Run `store check`, and then `store repair`: docs/operations.md says what they do",
        );
      }
      if (over) {
        return fine(
          INTEGRITY,
          `no differences found within ${VERIFY_TIMEOUT_MS / 1000} seconds; \`store check\` compares everything`,
        );
      }
      return warning(INTEGRITY, `could not be checked (${explainCause(found.error)})`, "Try again");
    }
    return fine(INTEGRITY, "redundant data is consistent");
  } finally {
    clearTimeout(timer);
    await store.close();
  }
};

export const checkPostgresStore = async ({
  postgresUrl: url,
  postgresCaPath: caFile,
}: StoreConfiguration): Promise<readonly Finding[]> => {
  if (url === undefined) return skippedAfter([STORE, WRITES, INTEGRITY], "configuration");
  const location = { url, caFile };
  const inspected = await inspectPostgres(location);
  if (inspected.isErr()) {
    const { error } = inspected;
    const action = actionOf(error);
    return error.code === "missing"
      ? [
          warning(STORE, error.message, action),
          ...[WRITES, INTEGRITY].map((name) => fine(name, "there is no store yet")),
        ]
      : [wrong(STORE, error.message, action), ...skippedAfter([WRITES, INTEGRITY], STORE)];
  }
  const database = inspected.value;
  const { host, port, database: name } = url;
  const about = `database ${name} on ${host}:${port}, PostgreSQL ${database.serverVersion}, schema version ${database.version}, ${sizeOf(database.bytes)}`;
  const found = together(STORE, [connection(url, database), version(database), durability(database)]);
  const [written, verified] = await Promise.all([writes(location), integrity(location)]);
  return [
    found.status === "ok" ? fine(STORE, about) : { ...found, found: `${about}; ${found.found}` },
    database.version < database.supported ? fine(WRITES, "not checked before the migration") : written,
    database.version < database.supported ? fine(INTEGRITY, "not checked before the migration") : verified,
  ];
};
