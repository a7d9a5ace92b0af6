import { err, ok, type Result } from "@postern/core";

/** How the connection is encrypted. `require` encrypts, but does not verify who the server is. */
type SslMode = "disable" | "require" | "verify-full";

const SSL_MODES: readonly string[] = ["disable", "require", "verify-full"] satisfies SslMode[];

const isSslMode = (text: string): text is SslMode => SSL_MODES.includes(text);

/** Where a PostgreSQL database is, and how to log in. */
export type PostgresUrl = {
  /** A name, an address, or the absolute path of the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly sslMode: SslMode;
  /** PostgreSQL's own settings for the session, such as `-c search_path=postern`. */
  readonly options: string | undefined;
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\/.*)$/;

/** Whether the connection stays on this machine. */
export const isLocal = ({ host }: Pick<PostgresUrl, "host">): boolean => LOOPBACK.test(host);

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** `message` continues a sentence that begins with the name of a setting. It contains no part of the URL. */
export type InvalidUrl = { readonly code: "invalid_url"; readonly message: string };

const invalid = (message: string) => err<never, InvalidUrl>({ code: "invalid_url", message });

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…&options=…`. Without `sslmode`, connections to other machines are
 * encrypted and the server's certificate is verified (`verify-full`); those to this machine are not encrypted. HOST can be the
 * directory of a Unix socket, percent-encoded.
 *
 * @example
 * ```ts
 * const url = parsePostgresUrl("postgres://postern:secret@db.example.com/postern");
 * ```
 */
export const parsePostgresUrl = (text: string): Result<PostgresUrl, InvalidUrl> => {
  const url = URL.parse(text);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol) || url.hostname === "") {
    return invalid("must be a URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE");
  }
  const { sslmode, options, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0)
    return invalid("must have no parameters other than sslmode and options");
  const [host, user, password, database] = [
    url.hostname.replace(/^\[(.*)\]$/, "$1"),
    url.username,
    url.password,
    url.pathname.slice(1),
  ].map(decoded);
  if (host == null || user == null || password == null || database == null) {
    return invalid("must have its special characters percent-encoded (% as %25, @ as %40, / as %2F)");
  }
  if (user === "") return invalid("must name a user: postgres://USER:PASSWORD@HOST:5432/DATABASE");
  if (database === "") return invalid("must name a database: postgres://USER:PASSWORD@HOST:5432/DATABASE");
  const sslMode = sslmode ?? (isLocal({ host }) ? "disable" : "verify-full");
  if (!isSslMode(sslMode)) return invalid(`must have one of these as its sslmode: ${SSL_MODES.join(", ")}`);
  return ok({
    host,
    port: url.port === "" ? 5432 : Number(url.port),
    database,
    user,
    password: password === "" ? undefined : password,
    sslMode,
    options,
  });
};
