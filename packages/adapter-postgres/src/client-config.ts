import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ClientConfig } from "pg";
import type { PostgresUrl } from "./postgres-url.ts";

const tls = ({ host, sslMode }: PostgresUrl, caFile: string | undefined): ClientConfig["ssl"] => {
  if (sslMode === "disable") return false;
  if (sslMode === "require") return { rejectUnauthorized: false };
  return {
    rejectUnauthorized: true,
    // `pg` gives the name of the server only if it is not an IP address.
    ...(isIP(host) > 0 && { host }),
    ...(caFile !== undefined && { ca: readFileSync(caFile, "utf8") }),
  };
};

/** The configuration of `pg`. Throws if the file of the certificate authorities cannot be read. */
export const clientConfig = (url: PostgresUrl, caFile: string | undefined): ClientConfig => ({
  host: url.host,
  port: url.port,
  database: url.database,
  user: url.user,
  // Otherwise `pg` looks for one in PGPASSWORD and in files.
  password: url.password ?? "",
  ssl: tls(url, caFile),
  application_name: "postern",
  keepAlive: true,
  ...(url.options !== undefined && { options: url.options }),
});
