import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "./free-port.ts";
import type { Program } from "./install-on-debian.ts";
import { newDirectory } from "./new-directory.ts";
import { until } from "./until.ts";

export const GLEWLWYD_PROGRAMS: readonly Program[] = [
  {
    // The first one is there so that the package's database is not MariaDB.
    debianPackage: "dbconfig-no-thanks glewlwyd",
    probe: ["glewlwyd", "--version"],
    need: "the identity provider Glewlwyd",
    preseed: "glewlwyd glewlwyd/config_type select No configuration",
  },
];

/** The schema, with the user `admin`, whose password is `password`. */
const SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3";

const configuration = (directory: string, port: number) => `
port = ${port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:${port}"
login_url = "login.html"
api_prefix = "api"
static_files_path = "${directory}/none"
log_mode = "file"
log_level = "WARNING"
log_file = "${directory}/log"
cookie_domain = "127.0.0.1"
cookie_secure = 0
session_expiration = 600
session_key = "session"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "/usr/lib/glewlwyd/user"
user_middleware_module_path = "${directory}/none"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
use_secure_connection = false
secure_connection_key_file = ""
secure_connection_pem_file = ""
hash_algorithm = "SHA512"
database = { type = "sqlite3" path = "${directory}/database" };
`;

/** A separate Glewlwyd on loopback, with its administrator only. */
export const startGlewlwyd = async (): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const directory = newDirectory();
  mkdirSync(join(directory, "none"));
  const database = new DatabaseSync(join(directory, "database"));
  database.exec(readFileSync(SCHEMA, "utf8"));
  database.close();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(directory, "glewlwyd.conf");
  writeFileSync(file, configuration(directory, port));
  const server = spawn("glewlwyd", [`--config-file=${file}`], { stdio: "ignore" });
  const ended = once(server, "close");
  const stop = async () => {
    server.kill();
    await ended;
  };
  try {
    await until("Glewlwyd should respond", () => {
      if (server.exitCode !== null) throw new Error("Glewlwyd has ended");
      return fetch(`${url}/api/`).then(
        () => true,
        () => false,
      );
    });
  } catch (cause) {
    await stop();
    throw new Error("Glewlwyd did not start", { cause });
  }
  return { url, stop };
};
