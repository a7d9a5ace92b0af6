import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import type { Program } from "./install-on-debian.ts";
import { newDirectory } from "./new-directory.ts";
import { untilGreeted } from "./until-greeted.ts";

export const POSTFIX_PROGRAMS: readonly Program[] = [
  {
    debianPackage: "postfix",
    probe: ["postconf", "-d", "mail_version"],
    need: "Postfix",
    // No configuration: the system's own Postfix does not start.
    preseed: "postfix postfix/main_mailer_type select No configuration",
  },
  { debianPackage: "swaks", probe: ["swaks", "--version"], need: "swaks" },
];

/** Signs what Postfix sends. */
export const OPENDKIM_PROGRAMS: readonly Program[] = [
  { debianPackage: "opendkim", probe: ["opendkim", "-V"], need: "OpenDKIM" },
];

export type Postfix = {
  readonly port: number;
  /** What it wrote to its log. */
  log(): Promise<string>;
  /** Idempotent. */
  stop(): Promise<void>;
};

const run = promisify(execFile);

/** What a mail server that forwards for local clients needs, and no more. */
const main = (directory: string) => `
compatibility_level = 3.6
queue_directory = ${directory}/queue
data_directory = ${directory}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = relay.example
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = loopback-only
inet_protocols = ipv4
smtpd_relay_restrictions = permit_mynetworks, reject
transport_maps = texthash:${directory}/transport
alias_maps =
alias_database =
local_recipient_maps =
append_dot_mydomain = no
# Names are not looked up: all of them are in the transport table.
smtp_dns_support_level = disabled
smtp_connection_cache_on_demand = no
# A program of it that failed on a busy machine starts again at once, not after a minute.
service_throttle_time = 1s
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 1s
transport_retry_time = 1s
message_size_limit = 1000000
maillog_file = ${directory}/mail.log
maillog_file_prefixes = ${directory}
`;

const master = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
# Woken each second: a message that its last delivery still had locked is looked at again only then.
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

/** A loopback port to which mail is sent by SMTP, or by LMTP. */
type Destination = number | { readonly lmtp: number };

const transport = (to: Destination): string =>
  typeof to === "number" ? `smtp:[127.0.0.1]:${to}` : `lmtp:[127.0.0.1]:${to.lmtp}`;

/**
 * A separate Postfix on loopback, with its own configuration and queue. It sends mail for each domain to its destination, and
 * refuses all other mail. It needs root, as Postfix does.
 */
export const startPostfix = async (
  destinations: Readonly<Record<string, Destination>>,
  /** Commands that change its configuration, in this folder. */
  change: (directory: string, port: number) => string = () => "",
  /** Of its own; in memory by default. */
  directory = newDirectory(),
): Promise<Postfix> => {
  if (process.getuid?.() !== 0)
    throw new Error("Postfix needs root: run these tests as root, in a container.");
  await chmod(directory, 0o755);
  const { stdout: owner } = await run("id", ["-u", "postfix"]);
  await mkdir(join(directory, "queue"));
  await mkdir(join(directory, "data"));
  await chown(join(directory, "data"), Number(owner), 0);
  const port = await freePort();
  await writeFile(join(directory, "main.cf"), main(directory));
  await writeFile(join(directory, "master.cf"), master(port));
  const routes = Object.entries(destinations).map(([domain, to]) => `${domain} ${transport(to)}`);
  await writeFile(join(directory, "transport"), `${routes.join("\n")}\n* error:5.1.2 unknown domain\n`);
  await run("sh", ["-euc", change(directory, port)]);
  const server = spawn("postfix", ["-c", directory, "start-fg"], { stdio: "ignore" });
  const ended = once(server, "close");
  const log = () => readFile(join(directory, "mail.log"), "utf8").catch(() => "");
  let stopped: Promise<void> | null = null;
  const stopOnce = async () => {
    await run("postfix", ["-c", directory, "stop"]).catch(() => {});
    await ended;
  };
  const stop = () => {
    stopped ??= stopOnce();
    return stopped;
  };
  await untilGreeted(port, { name: "Postfix", process: server, log, stop });
  return { port, log, stop };
};

/** Sends a message with swaks. Returns its exit code, and what it printed. Exit code 24 to 26: MAIL, RCPT or DATA was refused. */
export const swaks = async (
  port: number,
  parameters: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> => {
  try {
    const { stdout } = await run("swaks", ["--server", `127.0.0.1:${port}`, ...parameters]);
    return { code: 0, output: stdout };
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "number" && "stdout" in error) {
      return { code: error.code, output: String(error.stdout) };
    }
    throw error;
  }
};
