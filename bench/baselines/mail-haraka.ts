import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@postern/test-support/free-port";
import { untilGreeted } from "@postern/test-support/until-greeted";
import { announce } from "../support/announce.ts";
import { childProgram } from "../support/child-program.ts";
import { DOMAIN } from "../support/fixture.ts";
import { readMailSetup } from "../support/mail-setup.ts";
import { treeUsage } from "../support/tree-usage.ts";
import { mailboxesOf, RELAY_CONNECTIONS } from "./shared/forwarding.ts";

/* Haraka with its plugins for aliases, relays and DKIM, and its outbound queue, which flushes each message to a file. */

const { fixture, directory, relayPort, dkimKey } = readMailSetup();
const port = await freePort();
const aliases = [...mailboxesOf(fixture)].map(([alias, to]) => [alias, { action: "alias", to }]);

const FILES = {
  plugins: "aliases\nrelay\ndkim\n",
  "aliases.json": JSON.stringify(Object.fromEntries(aliases)),
  // All mail is accepted, and goes to one relay.
  "relay.ini": "[relay]\nacl=false\nall=true\n",
  "relay_dest_domains.ini": `[domains]\nany={"nexthop":"127.0.0.1:${relayPort}"}\n`,
  "dkim.ini": `
[sign]
enabled=true
selector=s
domain=${DOMAIN}
headers=From, To, Subject, Date, Message-ID, MIME-Version, Content-Type
[canon]
body=relaxed
[verify]
enabled=false
`,
  "dkim.private.key": dkimKey,
  // A process for each core, as its guide to performance recommends; with two cores, 20 % more messages a second.
  "smtp.ini": `listen=127.0.0.1:${port}\nnodes=cpus\n`,
  // Of each process.
  "outbound.ini": `concurrency_max=${Math.ceil(RELAY_CONNECTIONS / availableParallelism())}\n`,
  // By default it logs each step of a message.
  "log.ini": "level=notice\nformat=default\n",
};

const main = fileURLToPath(import.meta.resolve("Haraka"));
const config = join(directory, "config");
mkdirSync(config, { recursive: true });
mkdirSync(join(directory, "queue"));
// It does not start without this file.
copyFileSync(join(dirname(main), "config/connection.ini"), join(config, "connection.ini"));
for (const [name, content] of Object.entries(FILES)) writeFileSync(join(config, name), content);

const haraka = childProgram([process.execPath, main], { HARAKA: directory });
await untilGreeted(port, {
  name: "Haraka",
  process: haraka,
  log: async () => "its output is the contender's",
  stop: async () => {},
});
announce({ mailPort: port }, treeUsage);
