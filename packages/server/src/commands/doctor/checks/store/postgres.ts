import {
  inspectPostgres,
  isLocal,
  type OpenError,
  type PostgresDatabase,
  type PostgresLocation,
  type PostgresStore,
  type PostgresUrl,
  postgresStore,
} from "@postern/adapter-postgres";
import { systemClock } from "@postern/node";
import type { StoreConfiguration } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import { inTime, LATE } from "../../../../system/in-time.ts";
import { explainCause } from "../../../explain-cause.ts";
import { type Found, fine, skippedAfter, together, warning, wrong } from "../../check.ts";
import { sizeOf } from "../../size-of.ts";
import { onlyStore, type StoreFindings, storeLater } from "./findings.ts";

const VERIFY_TIMEOUT_MS = 8_000;

const OPEN_ACTIONS = {
  missing: `The server creates its tables there when it starts. If there should be data, correct ${ENV.postgresUrl} or restore a backup`,
  newer_version: "Run the newer version, or restore the backup from before the upgrade",
  older_version: "The next start of this version migrates it: make a backup first",
  unsuitable: "Use another server or database: docs/postgres.md says what is needed",
  cannot_open: `Correct ${ENV.postgresUrl}, or what the message says: see docs/postgres.md`,
} as const satisfies Record<OpenError["code"], string>;

const connection = (url: PostgresUrl, { encrypted }: PostgresDatabase): Found => {
  if (isLocal(url)) return fine("on this machine");
  if (!encrypted) {
    return warning(
      "the connection is not encrypted",
      `Turn on TLS on the server, and remove sslmode=disable from ${ENV.postgresUrl}`,
    );
  }
  return url.sslMode === "verify-full"
    ? fine("encrypted")
    : warning(
        "the connection is encrypted, but the server's certificate is not verified",
        `Set ${ENV.postgresCaPath} to its certificate authority, and remove sslmode from ${ENV.postgresUrl}`,
      );
};

const schema = ({ version, supported }: PostgresDatabase): Found =>
  version === supported
    ? fine("up to date")
    : warning(`this version of the server has schema version ${supported}`, OPEN_ACTIONS.older_version);

const durability = ({ unsafe }: PostgresDatabase): Found =>
  unsafe.length === 0
    ? fine("durable")
    : warning(
        `a crash of the database's machine would lose acknowledged writes (${unsafe.join(", ")})`,
        "Turn on these settings of PostgreSQL",
      );

const writable = async (store: PostgresStore): Promise<Found> =>
  (await store.ping()).match(
    () => fine("wrote a row that nothing else uses"),
    (error) =>
      wrong(
        `writing failed (${explainCause(error)})`,
        `If it is read-only, set ${ENV.postgresUrl} to the primary server; otherwise see PostgreSQL's log`,
      ),
  );

/** Looks for the first difference that `store check` would find. */
const intact = async (store: PostgresStore): Promise<Found> => {
  const first = await inTime(store.differences(() => {}).next(), VERIFY_TIMEOUT_MS);
  if (first === LATE) {
    return fine(
      `no differences found within ${VERIFY_TIMEOUT_MS / 1000} seconds; \`store check\` compares everything`,
    );
  }
  if (first.done) return fine("redundant data is consistent");
  return first.value.match(
    ({ kind }) =>
      wrong(
        `redundant data differs (${kind})`,
        "Run `store check`, and then `store repair`: docs/operations.md says what they do",
      ),
    (error) => warning(`could not be checked (${explainCause(error)})`, "Try again"),
  );
};

const content = async (location: PostgresLocation): Promise<Omit<StoreFindings, "store">> => {
  const opened = await postgresStore({
    ...location,
    clock: systemClock,
    schema: "leave",
    connections: 2,
    timeoutMs: VERIFY_TIMEOUT_MS,
  });
  if (opened.isErr()) {
    const { code, message } = opened.error;
    return {
      "store-writes": wrong(message, OPEN_ACTIONS[code]),
      "store-integrity": skippedAfter("store-writes"),
    };
  }
  const store = opened.value;
  try {
    const [written, verified] = await Promise.all([writable(store), intact(store)]);
    return { "store-writes": written, "store-integrity": verified };
  } finally {
    await store.close();
  }
};

export const checkPostgresStore = async ({
  postgresUrl: url,
  postgresCaPath: caFile,
}: StoreConfiguration): Promise<StoreFindings> => {
  // The configuration has been refused without one.
  if (url === undefined) return onlyStore(skippedAfter("configuration"));
  const location = { url, caFile };
  const inspected = await inspectPostgres(location);
  if (inspected.isErr()) {
    const { code, message } = inspected.error;
    return code === "missing"
      ? storeLater(warning(message, OPEN_ACTIONS[code]), "there is no store yet")
      : onlyStore(wrong(message, OPEN_ACTIONS[code]));
  }
  const database = inspected.value;
  const { host, port, database: name } = url;
  const about = `database ${name} on ${host}:${port}, PostgreSQL ${database.serverVersion}, schema version ${database.version}, ${sizeOf(database.bytes)}`;
  const all = together(connection(url, database), schema(database), durability(database));
  const found = all.status === "ok" ? fine(about) : { ...all, found: `${about}; ${all.found}` };
  return database.version < database.supported
    ? storeLater(found, "not checked before the migration")
    : { store: found, ...(await content(location)) };
};
