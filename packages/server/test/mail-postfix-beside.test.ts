import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { compiled, main } from "@postern/test-support/built-server";
import { connect, startMachine } from "@postern/test-support/machines";
import { newDirectory } from "@postern/test-support/new-directory";
import { afterAll, expect, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { Report } from "./support/doctor.ts";
import { addAliases, countsOf, NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";

/*
 * Postern on port 25, and beside it a Postfix that is configured as docs/mail.md says, on a machine of its own. The mailboxes and the name
 * server are on another one. Only on port 25 does Postfix look whether it sends mail to itself. The tests run in order.
 */

const [DOMAIN, NAME] = ["alias.example.com", "mx.postern.test"];
const [HERE, NAME_SERVER, MAILBOXES] = ["192.0.2.25", "192.0.2.53", "192.0.2.80"];
const [SHOP, ADA, GONE] = [`shop@${DOMAIN}`, "ada@home.example", "gone@home.example"];

const here = await startMachine({ own: ["/etc", "/var"] });
const elsewhere = await startMachine({ own: ["/etc"] });
for (const machine of [here, elsewhere]) afterAll(machine.stop);
await connect([here, [HERE]], [elsewhere, [NAME_SERVER, MAILBOXES]]);

const arrived = newDirectory();
elsewhere.start([
  process.execPath,
  join(import.meta.dirname, "support/mail-elsewhere.ts"),
  MAILBOXES,
  arrived,
]);
elsewhere.start([
  ...["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--local=/#/"],
  ...["--pid-file=", `--listen-address=${NAME_SERVER}`, "--bind-interfaces"],
  `--mx-host=${DOMAIN},${NAME},10`,
  `--host-record=${NAME},${HERE}`,
  "--mx-host=home.example,mail.home.example,10",
  `--host-record=mail.home.example,${MAILBOXES}`,
]);

const { directory, variables } = await newMailEnvironment();
const programs = join(directory, "bin");
mkdirSync(programs);
/** Restarts Postfix as its unit does. */
const systemctl = `#!/bin/sh -e
test "$*" = "restart postfix"
/usr/lib/postfix/configure-instance.sh -
postfix stop 2> /dev/null || true
postfix start
`;
writeFileSync(join(programs, "systemctl"), systemctl, { mode: 0o755 });
const PATH = `${programs}:${process.env["PATH"]}`;

const succeeds = async (commands: string): Promise<string> => {
  const { status, output, errors } = await here.sh(commands, { PATH });
  expect(status, `${commands}\n${output}\n${errors}`).toBe(0);
  return output;
};

const recipe = block("docs/mail.md", "The relay").replaceAll("mx.example.com", NAME);
await succeeds(`
  echo nameserver ${NAME_SERVER} > /etc/resolv.conf
  cp /usr/share/postfix/main.cf.debian /etc/postfix/main.cf
  cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf
  postconf -e inet_interfaces=all maillog_file=/var/log/mail.log myhostname=${NAME} alias_maps= smtpd_tls_security_level=may
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=${NAME} -keyout /etc/postfix/tls.pem -out /etc/postfix/cert.pem
  postconf -e smtpd_tls_cert_file=/etc/postfix/cert.pem smtpd_tls_key_file=/etc/postfix/tls.pem
  ${recipe}`);

const sqlitePath = join(directory, "postern.db");
const store = () => valueOf(sqliteStore({ path: sqlitePath, clock: Date, alongside: true }));
const created = valueOf(sqliteStore({ path: sqlitePath, clock: Date }));
await addAliases(created, DOMAIN, { [SHOP]: [ADA, GONE] });
created.close();
const { POSTERN_DNS: _, ...mail } = variables;
const environment = {
  ...mail,
  ...compiled,
  POSTERN_STORE: "sqlite",
  POSTERN_SQLITE_PATH: sqlitePath,
  POSTERN_ALIAS_DOMAINS: DOMAIN,
  POSTERN_MX_NAME: NAME,
  POSTERN_MX_HOST: "0.0.0.0",
  POSTERN_MX_PORT: "25",
  POSTERN_RELAY_URL: "smtp://127.0.0.1:10025",
};
here.start([process.execPath, main], environment);

const counts = async () => {
  const opened = store();
  const counted = await countsOf(opened, SHOP);
  opened.close();
  return counted;
};

const send = () =>
  expect
    .poll(() => elsewhere.sh(`swaks --server ${HERE} --from bob@home.example --to ${SHOP}`))
    .toMatchObject({ status: 0 });

/** What doctor finds. */
const examine = async () => {
  const { output } = await here.sh(`'${process.execPath}' '${main}' doctor --json`, environment);
  return Object.fromEntries(Report.parse(JSON.parse(output)).map((finding) => [finding.check, finding]));
};

const log = () => succeeds("cat /var/log/mail.log");

test("a bounce comes back to port 25 and is counted; doctor tries the way back", async () => {
  await send();
  await expect.poll(() => readdirSync(arrived)).toEqual([expect.stringMatching(/^\d+-ada@home\.example$/)]);
  await expect.poll(counts).toEqual({ ...NOTHING, sent: 2, bounced: 1 });
  await expect.poll(examine).toMatchObject({
    relay: { status: "ok" },
    bounces: {
      status: "ok",
      found: expect.stringMatching(/^a bounce came back from the relay after /),
    },
  });
  // The bounces of doctor concern no alias, and nobody got anything.
  expect(await counts()).toEqual({ ...NOTHING, sent: 2, bounced: 1 });
  expect(readdirSync(arrived)).toHaveLength(1);
});

test("with Debian's inet_interfaces, Postfix takes the way back for a loop, and doctor finds that", async () => {
  await succeeds("postconf -e inet_interfaces=all && systemctl restart postfix");
  await send();
  await expect.poll(log).toMatch(/to=<b-\S+@alias\.example\.com>.* loops back to myself/);
  expect(await counts()).toEqual({ ...NOTHING, sent: 4, bounced: 1 });
  await expect.poll(examine).toMatchObject({
    relay: { status: "ok" },
    bounces: {
      status: "wrong",
      found: expect.stringContaining("bounces are lost"),
      action: expect.stringContaining("inet_interfaces = loopback-only"),
    },
  });
});

test("with the name of Postern, too; doctor compares the names", async () => {
  await succeeds(`${recipe}\npostconf -e myhostname=${NAME} && systemctl restart postfix`);
  await expect.poll(examine).toMatchObject({
    relay: {
      status: "wrong",
      found: `127.0.0.1:10025 calls itself ${NAME}, as this server does: it takes what it sends here for a loop, and bounces are lost`,
      action: expect.stringContaining("myhostname"),
    },
    bounces: { found: "skipped because of the result of relay" },
  });
});

test("with the alias domain among its own, the relay refuses reports", async () => {
  await succeeds(`${recipe}\npostconf -e mydestination=${DOMAIN} && systemctl restart postfix`);
  await expect.poll(examine).toMatchObject({
    bounces: {
      status: "wrong",
      found: expect.stringMatching(
        /^the relay does not accept mail to alias\.example\.com \(550 to RCPT TO\)/,
      ),
      action: expect.stringContaining("mydestination"),
    },
  });
});
