import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import type { Program } from "./install-on-debian.ts";
import { newDirectory } from "./new-directory.ts";
import { untilGreeted } from "./until-greeted.ts";

export const DOVECOT_PROGRAMS: readonly Program[] = [
  {
    debianPackage: "dovecot-lmtpd",
    probe: ["test", "-x", "/usr/lib/dovecot/lmtp"],
    need: "Dovecot with LMTP",
  },
];

/** Mailboxes of people who read their mail over IMAP. Any address has one. */
export type Dovecot = {
  /** Takes mail by LMTP. */
  readonly port: number;
  /** The messages in a mailbox, oldest first. Each character is one octet. */
  messages(mailbox: string): Promise<readonly string[]>;
  /** How many messages of the mailbox are in the thread of this one, as clients show it (RFC 5256, REFERENCES). */
  threadLength(mailbox: string, messageId: string): Promise<number>;
  stop(): Promise<void>;
};

const run = promisify(execFile);

/** In the syntax of Dovecot 2.3, which Debian 12 has. */
const configuration = (directory: string, port: number) => `
base_dir = ${directory}/run
state_dir = ${directory}/state
log_path = ${directory}/log
protocols = lmtp
ssl = no
first_valid_uid = 1
mail_location = maildir:~/Maildir
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=dovenull gid=dovenull home=${directory}/mail/%u allow_all_users=yes
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${port}
  }
}
`;

/** A separate Dovecot on loopback. It needs root, as Dovecot does. */
export const startDovecot = async (): Promise<Dovecot> => {
  if (process.getuid?.() !== 0)
    throw new Error("Dovecot needs root: run these tests as root, in a container.");
  const { stdout: version } = await run("dovecot", ["--version"]);
  if (!version.startsWith("2.3.")) {
    throw new Error(`These tests configure Dovecot 2.3, as Debian 12 has it; this is ${version.trim()}.`);
  }
  const directory = newDirectory();
  await chmod(directory, 0o755);
  for (const name of ["run", "state", "mail"]) await mkdir(join(directory, name));
  const { stdout: owner } = await run("id", ["-u", "dovenull"]);
  await chown(join(directory, "mail"), Number(owner), 0);
  const port = await freePort();
  const config = join(directory, "dovecot.conf");
  await writeFile(config, configuration(directory, port));
  const server = spawn("dovecot", ["-F", "-c", config], { stdio: "ignore" });
  const ended = once(server, "close");
  const log = () => readFile(join(directory, "log"), "utf8").catch(() => "");
  const stop = async () => {
    server.kill();
    await ended;
  };
  await untilGreeted(port, { name: "Dovecot", process: server, log, stop });
  const doveadm = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run("doveadm", ["-c", config, ...args], { maxBuffer: 2 ** 26 });
    return stdout;
  };
  return {
    port,
    messages: async (mailbox) => {
      const found: unknown = JSON.parse(
        await doveadm("-f", "json", "fetch", "-u", mailbox, "text", "MAILBOX", "INBOX"),
      );
      if (!Array.isArray(found)) throw new Error("doveadm has not written a list");
      return found.map(({ text }) => Buffer.from(String(text)).toString("latin1").replaceAll("\n", "\r\n"));
    },
    threadLength: async (mailbox, messageId) => {
      const thread = ["INTHREAD", "REFS", "HEADER", "Message-ID", messageId];
      const found = await doveadm("search", "-u", mailbox, "MAILBOX", "INBOX", ...thread);
      return found.split("\n").filter((line) => line !== "").length;
    },
    stop,
  };
};
