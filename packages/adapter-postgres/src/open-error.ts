import { causeOf, sqlStateOf } from "./cause.ts";
import type { PostgresUrl } from "./postgres-url.ts";

/** Where a database is, for messages: without the user and the password. */
export type Place = Pick<PostgresUrl, "host" | "port" | "database">;

/** Why a database was not opened as a store. `message` is for the operator; it names the server and the database. */
export type OpenError = {
  readonly code: /** There are no Postern tables, and they must not be created. */
    | "missing"
    /** A newer Postern made the tables. */
    | "newer_version"
    /** An older Postern made the tables, and they must not be migrated. */
    | "older_version"
    /** PostgreSQL is too old, or the database does not store all of Unicode. */
    | "unsuitable"
    /** The server cannot be reached, or refuses the user, the password or what the store has to do. */
    | "cannot_open";
  readonly message: string;
};

const placeOf = ({ host, port, database }: Place): string =>
  `the PostgreSQL database ${database} on ${host.startsWith("/") ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`}`;

const named = (place: Place): string => placeOf(place).replace("the", "The");

export const missing = (place: Place): OpenError => ({
  code: "missing",
  message: `${named(place)} has no Postern tables: there is no store in it`,
});

export const newerVersion = (place: Place, found: number, supported: number): OpenError => ({
  code: "newer_version",
  message: `${named(place)} has schema version ${found}, but this Postern supports versions up to ${supported}: run a newer Postern`,
});

export const olderVersion = (place: Place, found: number, supported: number): OpenError => ({
  code: "older_version",
  message: `${named(place)} has schema version ${found}, but this Postern has ${supported}: start this version's server once, which migrates it`,
});

export const unsuitable = (place: Place, why: string): OpenError => ({
  code: "unsuitable",
  message: `${named(place)} cannot be used: ${why}`,
});

/** Advice for the operator, by SQLSTATE or system error code. */
const ADVICE: Readonly<Record<string, string>> = {
  "28P01": "the password is wrong",
  "28000": "the server does not let this user in, or not without TLS (pg_hba.conf)",
  "3D000": "there is no such database",
  "42501": "the user lacks a permission: see docs/postgres.md under Permissions",
  "42P07": "it has a table with the name of one of Postern's: give Postern a database or a schema of its own",
  "53300": "too many connections are open",
  "57P03": "the server is starting or stopping",
  "57014": "another process has been migrating it for a minute",
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the name of the server does not exist",
  EAI_AGAIN: "the name of the server cannot be looked up at the moment",
  ENOENT: "there is no such file or socket",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the certificate of the server is self-signed: configure its certificate authority",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate authority of the server is not trusted: configure it",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate authority of the server is not trusted: configure it",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate authority of the server is not trusted: configure it",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate of the server is for another name",
  CERT_HAS_EXPIRED: "the certificate of the server has expired",
};

/** The error thrown while opening a database, as a value. */
export const openFailed = (place: Place, thrown: unknown): OpenError => {
  const { reason } = causeOf(thrown);
  const advice = ADVICE[sqlStateOf(thrown) ?? reason];
  const why = advice === undefined ? "" : `: ${advice}`;
  return { code: "cannot_open", message: `${named(place)} cannot be opened (${reason})${why}` };
};
