import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { connect, startMachine } from "../../packages/test-support/src/machines.ts";
import { newDirectory } from "../../packages/test-support/src/new-directory.ts";
import { block, blocksOf } from "../../scripts/document-blocks.ts";
import { checkout } from "./checkout.ts";

/*
 * Somebody follows docs/first-server.md on a machine with an empty Debian (debootstrap), a network of its own, and no systemd. The mailboxes
 * and the name server are on another machine, where what the page says is published. The tests run in order.
 */

const { out, version } = inject("server");

const [HERE, NAME_SERVER, MAILBOXES] = ["192.0.2.25", "192.0.2.53", "192.0.2.80"];
const [DOMAIN, NAME] = ["alias.postern.test", "mx.postern.test"];
const [YOU, BOB, SHOP] = ["you@home.example", "bob@shop.example", `shop@${DOMAIN}`];

/** Stands in for systemd: runs what the unit and its drop-in say, as a user of its own, who gets the key as a credential. */
const SYSTEMCTL = `#!/bin/sh -e
unit() { cat /etc/systemd/system/postern.service /etc/systemd/system/postern.service.d/*.conf | sed -n "s|^$1=||p"; }
export CREDENTIALS_DIRECTORY=/run/credentials/postern.service
case "$*" in
  "daemon-reload") ;;
  "restart postfix")
    /usr/lib/postfix/configure-instance.sh -
    postfix stop 2> /dev/null || true
    # Only to a terminal does it say what is wrong.
    script -qec 'postfix start' /dev/null ;;
  "enable --now postern")
    install -d -m 0700 -o 61184 -g 61184 /var/lib/postern
    for credential in $(unit LoadCredential); do
      install -D -m 0400 -o 61184 "\${credential#*:}" "$CREDENTIALS_DIRECTORY/\${credential%%:*}"
    done
    cd /var/lib/postern
    env -i "PATH=$PATH" "CREDENTIALS_DIRECTORY=$CREDENTIALS_DIRECTORY" \\
      $(unit Environment) $(grep '^[A-Z].*=.' "$(unit EnvironmentFile)") \\
      setpriv --reuid 61184 --regid 61184 --clear-groups --inh-caps +net_bind_service --ambient-caps +net_bind_service \\
      sh -c 'SYSTEMD_EXEC_PID=$$ exec "$0"' $(unit ExecStart) > /journal 2>&1 < /dev/null &
    until grep -q '"msg":"serving"' /journal; do
      kill -0 $! || { cat /journal >&2; exit 1; }
      sleep 0.1
    done ;;
  *) exit 64 ;;
esac
`;

/** Not in memory: it takes up a gigabyte. */
const system = newDirectory(tmpdir());
execFileSync("debootstrap", ["--variant=minbase", "bookworm", system], { stdio: "pipe" });
// Its `/`, for users other than root.
chmodSync(system, 0o755);
const here = await startMachine({ system });
afterAll(here.stop);
const elsewhere = await startMachine({ own: ["/etc"] });
afterAll(elsewhere.stop);
await connect([here, [HERE]], [elsewhere, [NAME_SERVER, MAILBOXES]]);

const install = (path: string, text: string) => writeFileSync(join(system, path), text, { mode: 0o755 });
// Whether this survives a crash of the machine does not matter, and dpkg would wait for the disk after every file.
install("etc/dpkg/dpkg.cfg.d/fast", "force-unsafe-io\n");
// Packages must not start what they install.
install("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n");
install("usr/local/bin/systemctl", SYSTEMCTL);
for (const file of [`postern-${version}.tgz`, `postern-${version}.tgz.sha256`]) {
  cpSync(join(out, file), join(system, "root", file));
}
const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
if (authorities !== undefined) copyFileSync(authorities, join(system, "authorities.pem"));
const ENVIRONMENT = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  ...(authorities !== undefined && {
    NODE_EXTRA_CA_CERTS: "/authorities.pem",
    npm_config_cafile: "/authorities.pem",
  }),
};

/** Runs a block with names that exist in this network: the server refuses those of examples. */
const follow = async (commands: string, network?: "ours"): Promise<string> => {
  const ran = await here.sh(
    `cd /root\n${commands.replaceAll("example.com", "postern.test")}`,
    ENVIRONMENT,
    network,
  );
  expect(ran.status, `${commands}\n${ran.output}\n${ran.errors}`).toBe(0);
  return ran.output;
};

const arrived = newDirectory();
/** The first message that has arrived in a mailbox. */
const messageTo = async (mailbox: string): Promise<string> => {
  const name = () => readdirSync(arrived).find((file) => file.endsWith(`-${mailbox}`)) ?? "";
  await expect.poll(name).not.toBe("");
  return readFileSync(join(arrived, name()), "latin1");
};

/** Sends a message from the machine with the mailboxes. */
const send = async (from: string, to: string, subject: string) => {
  const envelope = `--server ${HERE} --local-interface ${MAILBOXES} --helo mail.home.example --from ${from} --to ${to}`;
  const { status, output } = await elsewhere.sh(
    `swaks ${envelope} --h-Subject '${subject}' --body 'On its way'`,
  );
  expect(status, output).toBe(0);
};

test("the page has at most 12 blocks of commands, and the recipe for Postfix of mail.md", () => {
  expect(blocksOf("docs/first-server.md").length).toBeLessThanOrEqual(12);
  expect(block("docs/first-server.md", "The relay")).toBe(block("docs/mail.md", "The relay"));
  expect(block("docs/first-server.md", "Postern")).toContain(`VERSION=${version}\n`);
});

test("installs Node, Postfix and Postern, and configures them", async () => {
  await follow(block("docs/first-server.md", "Node and Postfix"), "ours");
  writeFileSync(join(system, "etc/resolv.conf"), `nameserver ${NAME_SERVER}\n`);
  await follow(block("docs/first-server.md", "Postern"));
  await follow(block("docs/first-server.md", "The relay"));
  await follow(block("docs/first-server.md", "The configuration"));
  expect(await follow("stat -c %a /etc/postern /etc/postern/postern.env")).toBe("700\n600\n");
});

test("prints the records, which are published as they are", async () => {
  const zone = await follow(block("docs/first-server.md", "The key and the records"));
  const records = zone.split("\n").flatMap((line) => {
    const [, name = "", type, data = ""] = /^(\S+)\. IN (\S+) (.*)$/.exec(line) ?? [];
    if (type === "MX") return [`--mx-host=${name},${/(\S+)\.$/.exec(data)?.[1]},10`];
    if (type === "TXT")
      return [`--txt-record=${name},${[...data.matchAll(/"([^"]*)"/g)].map(([, text]) => text)}`];
    return [];
  });
  // Those of `mail key` are among them.
  const published = [...new Set(records)];
  expect(published).toHaveLength(4);
  const mailboxes = ["home.example", "shop.example"].flatMap((domain) => [
    `--mx-host=${domain},mail.home.example,10`,
    `--txt-record=${domain},v=spf1 ip4:${MAILBOXES} -all`,
  ]);
  elsewhere.start([
    ...[
      "dnsmasq",
      "--keep-in-foreground",
      "--conf-file=/dev/null",
      "--no-resolv",
      "--no-hosts",
      "--local=/#/",
    ],
    ...["--pid-file=", `--listen-address=${NAME_SERVER}`, "--bind-interfaces"],
    ...[...published, ...mailboxes],
    `--host-record=${NAME},${HERE}`,
    `--host-record=mail.home.example,${MAILBOXES}`,
  ]);
  const server = join(checkout, "packages/server/test/support/mail-elsewhere.ts");
  elsewhere.start([process.execPath, server, MAILBOXES, arrived]);
});

test("starts, and doctor finds nothing wrong but what the page says; a bounce comes back", async () => {
  await follow(block("docs/first-server.md", "The service"));
  const report = () => follow(block("docs/first-server.md", "Checking it"));
  await expect.poll(report, { interval: 1_000 }).toMatch(/^ok +bounces +a bounce came back/m);
  const warned = [...(await report()).matchAll(/^warning +(\S+)/gm)].map(([, check]) => check);
  expect(warned.sort()).toEqual(["mx-tls", "public-url"]);
});

test("the first message arrives, and so does the reply", async () => {
  await follow(block("docs/first-server.md", "The first alias"));
  await send(BOB, SHOP, "Your order");
  const message = await messageTo(YOU);
  expect(message).toContain("\r\nSubject: Your order\r\n");
  const [, reverse = ""] = /^From: .*<(r-\S+@alias\.postern\.test)>/m.exec(message) ?? [];
  await send(YOU, reverse, "Re: Your order");
  const reply = await messageTo(BOB);
  expect(reply).toMatch(/^From: <?shop@alias\.postern\.test/m);
  expect(reply).not.toContain("home.example");
});
