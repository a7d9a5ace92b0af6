import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startPostfix } from "@postern/test-support/postfix";
import { until } from "@postern/test-support/until";
import { announce } from "../support/announce.ts";
import { childProgram } from "../support/child-program.ts";
import { DOMAIN } from "../support/fixture.ts";
import { readMailSetup } from "../support/mail-setup.ts";
import { treeUsage } from "../support/tree-usage.ts";
import { mailboxesOf } from "./shared/forwarding.ts";

/*
 * Postfix with a virtual alias map, and OpenDKIM as its milter. Whatever is not set here is Postfix's default, such as at most 20
 * connections to the relay, which are used again.
 */

const { fixture, directory, relayPort, dkimKey } = readMailSetup();
mkdirSync(directory, { recursive: true });
// Postfix runs its processes as a user of its own.
chmodSync(dirname(directory), 0o711);

/** Writes a file, and returns its path. */
const file = (name: string, content: string, mode = 0o644): string => {
  const path = join(directory, name);
  writeFileSync(path, content, { mode });
  return path;
};

const socket = join(directory, "opendkim.sock");
const keys = file("keys", `key ${DOMAIN}:s:${file("dkim.pem", dkimKey, 0o600)}\n`);
const opendkim = `
# It signs all mail, whoever is its author and sends it, and verifies none.
Mode s
SigningTable refile:${file("signed", "* key\n")}
KeyTable file:${keys}
InternalHosts 0.0.0.0/0
Canonicalization relaxed/relaxed
Socket local:${socket}
# Postfix connects as its own user.
UMask 000
# The key may be below /tmp, to which everybody can write.
RequireSafeKeys no
`;
childProgram(["opendkim", "-f", "-x", file("opendkim.conf", opendkim)]);
await until("OpenDKIM should listen", () => existsSync(socket));

const aliases = [...mailboxesOf(fixture)].map(([alias, mailboxes]) => `${alias} ${mailboxes.join(", ")}\n`);
process.once("exit", () => spawnSync("postfix", ["-c", directory, "stop"]));
const { port } = await startPostfix(
  {},
  () => `
# Back to the defaults, which are for production: of intervals, and of the cache of connections, whose server is scache.
postconf -c ${directory} -X service_throttle_time queue_run_delay minimal_backoff_time maximal_backoff_time \
  transport_retry_time message_size_limit transport_maps smtp_connection_cache_on_demand
postconf -c ${directory} -F qmgr/unix/wakeup=300
postconf -c ${directory} -M scache/unix="scache unix - - n - 1 scache"
postconf -c ${directory} -e "relayhost=[127.0.0.1]:${relayPort}" smtpd_milters=unix:${socket} \
  virtual_alias_domains=${DOMAIN} virtual_alias_maps=texthash:${file("virtual", aliases.join(""))}
`,
  directory,
);
announce({ mailPort: port }, treeUsage);
