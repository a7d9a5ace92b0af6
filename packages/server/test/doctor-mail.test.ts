import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { newCertificate } from "@postern/test-support/certificate";
import { newDirectory } from "@postern/test-support/new-directory";
import type { SMTPServerOptions } from "smtp-server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Finding } from "../src/commands/doctor/check.ts";
import { checksFor } from "../src/commands/doctor/checks.ts";
import { diagnose } from "../src/commands/doctor/diagnose.ts";
import { startServer } from "../src/serve/start-server.ts";
import { configurationWith } from "./support/configuration.ts";
import { newDkimKey, publicKeyIn } from "./support/dkim-key.ts";
import { startDnsServer } from "./support/dns-server.ts";
import { environment } from "./support/environment.ts";
import { startMailbox } from "./support/mailbox.ts";
import { openSession } from "./support/smtp-session.ts";

/* The checks of `doctor` about receiving and forwarding mail, with a real DNS server and a real relay. */

const SELECTOR = "postern1";

let directory: string;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let relay: Awaited<ReturnType<typeof startMailbox>>;
let variables: Variables;

/** A TXT record for dnsmasq: long texts are split as DNS requires. */
const txt = (name: string, text: string): string =>
  `--txt-record=${[name, ...(text.match(/.{1,255}/g) ?? [])].join(",")}`;

beforeAll(async () => {
  directory = newDirectory();
  const [key, other] = [join(directory, "dkim.pem"), join(directory, "other.pem")];
  await newDkimKey(key);
  await newDkimKey(other);
  const complete = (domain: string) => [
    `--mx-host=${domain},mx.postern.test,10`,
    txt(domain, "v=spf1 mx -all"),
    txt(`_dmarc.${domain}`, "v=DMARC1; p=none"),
  ];
  relay = await startMailbox();
  dns = await startDnsServer([
    "--bogus-priv",
    "--host-record=mx.postern.test,127.0.0.9",
    "--mx-host=null.test,.,0",
    "--address=/unnamed.postern.test/127.0.0.10",
    "--address=/misnamed.postern.test/127.0.0.11",
    "--ptr-record=11.0.0.127.in-addr.arpa,other.postern.test",
    ...[
      "right.test",
      "also-right.test",
      "no-key.test",
      "wrong-key.test",
      "two-keys.test",
      "try-key.test",
    ].flatMap(complete),
    txt(`${SELECTOR}._domainkey.right.test`, `v=DKIM1; k=rsa; p=${publicKeyIn(key)}`),
    txt(`${SELECTOR}._domainkey.also-right.test`, `p=${publicKeyIn(key)};`),
    txt(`${SELECTOR}._domainkey.wrong-key.test`, `v=DKIM1; p=${publicKeyIn(other)}`),
    txt(`${SELECTOR}._domainkey.two-keys.test`, `v=DKIM1; p=${publicKeyIn(key)}`),
    txt(`${SELECTOR}._domainkey.two-keys.test`, `v=DKIM1; p=${publicKeyIn(other)}`),
    txt(`${SELECTOR}._domainkey.try-key.test`, `v=DKIM1; t=s:y; p=${publicKeyIn(key)}`),
    "--mx-host=elsewhere.test,mail.elsewhere.test,10",
    txt("nobody.test", "v=spf1 -all"),
    txt("_dmarc.two-policies.test", "v=DMARC1; p=none"),
    txt("_dmarc.two-policies.test", "v=DMARC1; p=reject"),
    txt("_dmarc.own.two-policies.test", "v=DMARC1; p=none"),
  ]);
  const spool = join(directory, "spool");
  mkdirSync(spool, { mode: 0o700 });
  variables = {
    ...environment,
    POSTERN_ALIAS_DOMAINS: "right.test,also-right.test",
    POSTERN_MX_PORT: "0",
    POSTERN_MX_NAME: "mx.postern.test",
    POSTERN_POSTMASTER: "operator@postern.test",
    POSTERN_DKIM_KEY: key,
    POSTERN_DKIM_SELECTOR: SELECTOR,
    POSTERN_SPOOL_PATH: spool,
    POSTERN_SPOOL_LIMIT: "100000000",
    POSTERN_RELAY_URL: `${relay.url}?tls.rejectUnauthorized=false`,
    POSTERN_DNS: dns.address,
  };
});
afterAll(() => Promise.all([dns.stop(), relay.stop()]));

type Variables = Readonly<Record<string, string>>;

const namesFor = (environment: Variables) => checksFor(environment).flatMap(({ names }) => names);

/** What the check finds with these variables changed. */
const find = async (name: string, changed: Variables = {}): Promise<Finding> => {
  const all = { ...variables, ...changed };
  const owner = checksFor(all).find(({ names }) => names.includes(name));
  const findings = await diagnose(owner ?? expect.unreachable(`there is no check ${name}`), all);
  for (const { found, action, status } of findings) {
    expect(`${found} ${action}`).not.toContain("@");
    expect(action === null).toBe(status === "ok");
  }
  return findings.find(({ check }) => check === name) ?? expect.unreachable(`no finding of ${name}`);
};

const MAIL = [
  "mx-tls",
  "spool",
  "spool-integrity",
  "forwarding",
  "relay",
  "relay-tls",
  "bounces",
  "dkim-key",
  "dns-dkim",
  "dns-spf",
  "dns-dmarc",
  "dns-reverse",
] as const;

test("everything is right, except that mail is received unencrypted", async () => {
  for (const name of MAIL) {
    expect(await find(name)).toMatchObject({ check: name, status: name === "mx-tls" ? "warning" : "ok" });
  }
  expect((await find("dns-alias-domains")).found).toBe(
    "right.test has MX mx.postern.test; also-right.test has MX mx.postern.test; mx.postern.test has the address 127.0.0.9",
  );
  expect((await find("dns-reverse")).found).toBe("127.0.0.9 resolves to mx.postern.test");
  expect((await find("dns-spf")).found).toBe(
    "right.test has SPF; also-right.test has SPF; only you can tell whether it allows the addresses that this machine sends from",
  );
  expect((await find("relay")).found).toMatch(
    /accepts all senders, also for POSTERN_POSTMASTER, without a login; no message was sent$/,
  );
  expect(relay.messages).toEqual([]);
});

test("without a port for mail, nothing about mail is checked", async () => {
  expect(namesFor(variables)).toEqual(expect.arrayContaining([...MAIL]));
  const without = namesFor({ ...variables, POSTERN_MX_PORT: "" });
  expect(without.filter((name) => MAIL.some((each) => each === name))).toEqual([]);
  expect(await find("mx-port", { POSTERN_MX_PORT: "" })).toMatchObject({
    status: "ok",
    found: expect.stringContaining("not used"),
  });
});

test("checks that need an invalid variable are skipped", async () => {
  for (const name of MAIL) {
    const found = await find(name, {
      POSTERN_ALIAS_DOMAINS: "",
      POSTERN_MX_NAME: "",
      POSTERN_SPOOL_LIMIT: "x",
    });
    expect(found).toMatchObject({ status: "warning" });
    if (name !== "mx-tls") expect(found.found).toMatch(/^skipped: POSTERN_/);
  }
});

describe("mx-port", () => {
  const EVERYWHERE = { POSTERN_MX_HOST: "0.0.0.0" };

  const listening = async (greeting: string) => {
    const server = createServer((socket) => socket.on("error", () => {}).end(`${greeting}\r\n`));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return { POSTERN_MX_PORT: `${(server.address() as AddressInfo).port}`, server };
  };

  test("Postern is there, or something else, or nothing", async () => {
    const { server: _, ...ours } = await listening("220 mx.postern.test ESMTP Postern");
    expect(await find("mx-port", { ...ours, ...EVERYWHERE })).toMatchObject({
      status: "ok",
      found: expect.stringMatching(/^Postern receives mail on 0\.0\.0\.0:\d+$/),
    });
    const { server, ...other } = await listening("220 mx.postern.test ESMTP Postfix (Debian/GNU)");
    expect(await find("mx-port", other)).toMatchObject({
      status: "wrong",
      found: expect.stringContaining("in use by something that is not Postern"),
    });
    server.close();
    await once(server, "close");
    expect(await find("mx-port", { ...other, ...EVERYWHERE })).toMatchObject({
      status: "ok",
      found: expect.stringContaining("is free"),
    });
    expect(await find("mx-port", other)).toMatchObject({
      status: "warning",
      found: expect.stringMatching(/ is free: .*; only this machine can connect to it$/),
    });
  });

  test("Postern is there, but only this machine can connect", async () => {
    const { server: _, ...ours } = await listening("220 mx.postern.test ESMTP Postern");
    expect(await find("mx-port", ours)).toMatchObject({
      status: "warning",
      found: `Postern receives mail on 127.0.0.1:${ours.POSTERN_MX_PORT}; only this machine can connect to it`,
      action: expect.stringMatching(/^Set POSTERN_MX_HOST/),
    });
  });

  test("Postern is there, and takes no more connections", async () => {
    const started = valueOf(
      await startServer(configurationWith({ ...variables, POSTERN_LOG_LEVEL: "silent" })),
    );
    onTestFinished(() => started.stop());
    const port = started.mailPort ?? expect.unreachable("it receives mail");
    for (let connections = 0; connections < 20; connections += 1) await openSession(port);
    expect(await find("mx-port", { POSTERN_MX_PORT: `${port}` })).toMatchObject({
      status: "warning",
      found: `a mail server on 127.0.0.1:${port} takes no more connections for now (421)`,
      action: expect.stringMatching(/^Try again later/),
    });
  });

  test("an address of another machine", async () => {
    const changed = { POSTERN_MX_HOST: "192.0.2.1", POSTERN_MX_PORT: "2525" };
    expect(await find("mx-port", changed)).toMatchObject({
      status: "wrong",
      found: expect.stringContaining("not an address of this machine"),
    });
  });
});

describe("mx-tls", () => {
  const files = (days: number, name = "mx.postern.test") => {
    const { keyFile, file } = newCertificate(newDirectory(), days, name);
    return { POSTERN_MX_TLS_KEY: keyFile, POSTERN_MX_TLS_CERT: file };
  };

  test("a certificate that is right, expires soon, or is for another name", async () => {
    expect(await find("mx-tls", files(90))).toMatchObject({
      status: "ok",
      found: expect.stringMatching(/^the certificate is valid until \d{4}-\d\d-\d\d$/),
    });
    expect(await find("mx-tls", files(5))).toMatchObject({
      status: "warning",
      action: expect.stringMatching(/^Renew it/),
    });
    expect(await find("mx-tls", files(90, "localhost"))).toMatchObject({
      status: "warning",
      found: expect.stringContaining("not for mx.postern.test"),
    });
  });

  test("files that are missing, are something else, or do not belong together", async () => {
    const [right, other] = [files(90), files(90)];
    expect(await find("mx-tls", { ...right, POSTERN_MX_TLS_KEY: "/nowhere" })).toMatchObject({
      status: "wrong",
      found: "/nowhere cannot be read (ENOENT)",
    });
    expect(await find("mx-tls", { ...right, POSTERN_MX_TLS_CERT: right.POSTERN_MX_TLS_KEY })).toMatchObject({
      status: "wrong",
      found: `${right.POSTERN_MX_TLS_KEY} is not a certificate in PEM format`,
    });
    expect(await find("mx-tls", { ...right, POSTERN_MX_TLS_KEY: right.POSTERN_MX_TLS_CERT })).toMatchObject({
      status: "wrong",
      found: `${right.POSTERN_MX_TLS_CERT} is not an unencrypted private key in PEM format`,
    });
    expect(await find("mx-tls", { ...right, POSTERN_MX_TLS_KEY: other.POSTERN_MX_TLS_KEY })).toMatchObject({
      status: "wrong",
      found: `${other.POSTERN_MX_TLS_KEY} is not the key of the first certificate in ${right.POSTERN_MX_TLS_CERT}`,
    });
  });
});

test("a spool that others can look into, and a disk that is smaller than the spool's limit", async () => {
  const shared = newDirectory();
  chmodSync(shared, 0o755);
  expect(await find("spool", { POSTERN_SPOOL_PATH: shared })).toMatchObject({
    status: "warning",
    found: `${shared} has mode 0755: other users can look into the mail in it`,
  });
  expect(await find("spool", { POSTERN_SPOOL_LIMIT: `${2 ** 49}` })).toMatchObject({
    status: "warning",
    found: expect.stringMatching(/, and POSTERN_SPOOL_LIMIT is 512 TiB$/),
  });
  const missing = join(directory, "new", "spool");
  expect(await find("spool", { POSTERN_SPOOL_PATH: missing })).toMatchObject({
    status: "ok",
    found: expect.stringContaining("the server creates it"),
  });
});

test("a spool behind a symbolic link, as systemd sets it up, has the mode of its directory", async () => {
  const path = newDirectory();
  const link = join(directory, "link");
  symlinkSync(path, link);
  expect(await find("spool", { POSTERN_SPOOL_PATH: link })).toMatchObject({ status: "ok" });
  chmodSync(path, 0o750);
  expect(await find("spool", { POSTERN_SPOOL_PATH: link })).toMatchObject({
    status: "warning",
    found: `${link} has mode 0750: other users can look into the mail in it`,
  });
});

test("a spool without its database", async () => {
  const path = newDirectory();
  expect(await find("spool", { POSTERN_SPOOL_PATH: path })).toMatchObject({ status: "ok" });
  mkdirSync(join(path, "bodies"));
  expect(await find("spool", { POSTERN_SPOOL_PATH: path })).toMatchObject({
    status: "wrong",
    found: `${join(path, "spool.db")} is missing, though there was a spool in this directory: it was moved or deleted`,
  });
  writeFileSync(join(path, "spool.db"), "");
  expect(await find("spool", { POSTERN_SPOOL_PATH: path })).toMatchObject({ status: "ok" });
});

test("a damaged spool, while a server is using it", async () => {
  const path = newDirectory();
  const spool = valueOf(await sqliteSpool({ path, limit: 1_000 }));
  onTestFinished(() => spool.close());
  const integrity = () => find("spool-integrity", { POSTERN_SPOOL_PATH: path });
  expect(await integrity()).toMatchObject({
    status: "ok",
    found: expect.stringMatching(/^no damage found in /),
  });
  using db = new DatabaseSync(join(path, "spool.db"));
  db.exec("PRAGMA foreign_keys = OFF; INSERT INTO outcomes VALUES (1, 'a', 'b', 'sent', 0, 0)");
  expect(await integrity()).toMatchObject({
    status: "wrong",
    found: "the database is damaged (a row of outcomes references a missing row of copies)",
  });
});

test("a pause of forwarding is reported with its reason, whether or not a server has the spool open", async () => {
  const path = join(newDirectory(), "spool");
  const forwarding = () => find("forwarding", { POSTERN_SPOOL_PATH: path });
  expect(await forwarding()).toMatchObject({ status: "ok", found: "not paused" });
  const spool = valueOf(await sqliteSpool({ path, limit: 1_000_000 }));
  onTestFinished(spool.close);
  expect(await forwarding()).toMatchObject({ status: "ok" });
  const pause = { since: Date.UTC(2026, 0, 31), nextAt: Date.UTC(2026, 0, 31, 1) };
  const cause = { source: "smtp", reason: "535 to AUTH" };
  for (const [reason, why] of [
    ["relay", "the relay cannot be used"],
    ["refusals", "the relay refuses everything"],
    ["store", "the store does not respond"],
  ] as const) {
    valueOf(await spool.setPause({ ...pause, reason, cause }));
    expect(await forwarding()).toMatchObject({
      status: "wrong",
      found: `Forwarding has been paused since 2026-01-31T00:00:00.000Z: ${why} (smtp 535 to AUTH). It is next tried at 2026-01-31T01:00:00.000Z`,
    });
  }
  valueOf(await spool.setPause(null));
  expect(await forwarding()).toMatchObject({ status: "ok" });
  await spool.close();
  {
    using db = new DatabaseSync(join(path, "spool.db"));
    db.exec("DROP TABLE pause");
  }
  expect(await forwarding()).toMatchObject({
    status: "warning",
    found: expect.stringContaining("could not be read"),
  });
});

test("a relay that cannot be used is reported with its variable, even if that is the one for verification mail", async () => {
  const onMailFrom: SMTPServerOptions["onMailFrom"] = (_address, _session, done) =>
    done(Object.assign(new Error("no"), { responseCode: 550 }));
  const strict = await startMailbox(0, { onMailFrom, hideSTARTTLS: true });
  onTestFinished(strict.stop);
  expect(await find("relay", { POSTERN_RELAY_URL: strict.url })).toMatchObject({
    status: "wrong",
    found: expect.stringMatching(
      /^cannot send mail of right\.test .*\(550 to MAIL FROM\); cannot send mail of also-right\.test .*; cannot send failure notices /,
    ),
    action: expect.stringContaining("allow every sender on it for this login"),
  });
  const dead = { POSTERN_RELAY_URL: "", POSTERN_SMTP_URL: "smtp://127.0.0.1:1" };
  expect(await find("relay", dead)).toMatchObject({
    status: "wrong",
    action: expect.stringContaining("POSTERN_SMTP_URL"),
  });
  expect(await find("relay-tls", dead)).toMatchObject({ found: expect.stringMatching(/^skipped/) });
});

describe("a relay that refuses", () => {
  const refusing = async (code: number, matches: (address: string) => boolean) => {
    const onMailFrom: SMTPServerOptions["onMailFrom"] = ({ address }, _session, done) =>
      matches(address) ? done(Object.assign(new Error(`<${address}>: no`), { responseCode: code })) : done();
    const strict = await startMailbox(0, { onMailFrom, hideSTARTTLS: true });
    onTestFinished(strict.stop);
    return { variables: { POSTERN_RELAY_URL: strict.url }, host: new URL(strict.url).host };
  };

  test("one alias domain: the finding names the domain, and what to do", async () => {
    const { variables, host } = await refusing(554, (address) => address.endsWith("@also-right.test"));
    expect(await find("relay", variables)).toMatchObject({
      status: "wrong",
      found: `cannot send mail of also-right.test through ${host} (554 to MAIL FROM)`,
      action: expect.stringMatching(/^Register also-right\.test with the provider/),
    });
  });

  test("the null sender costs failure notices", async () => {
    const { variables, host } = await refusing(501, (address) => address === "");
    expect(await find("relay", variables)).toMatchObject({
      status: "warning",
      found: `cannot send failure notices through ${host} (501 to MAIL FROM)`,
      action: expect.stringContaining("senders are not told that their messages failed"),
    });
  });

  test("everything without a login wants one", async () => {
    const { variables } = await refusing(530, () => true);
    expect(await find("relay", variables)).toMatchObject({
      status: "wrong",
      action:
        "Correct the user and the password in POSTERN_RELAY_URL, percent-encoded, or unlock the login at the mail server",
    });
  });
});

test("a relay that does not offer a login, although its URL has a password", async () => {
  const open = await startMailbox(0, { disabledCommands: ["AUTH", "STARTTLS"] });
  onTestFinished(open.stop);
  const { host } = new URL(open.url);
  expect(await find("relay", { POSTERN_RELAY_URL: `smtp://us:secret@${host}` })).toMatchObject({
    status: "wrong",
    found: `cannot send through ${host} (no login offered)`,
    action: expect.stringMatching(
      /^Use a port of the mail server that offers a login in POSTERN_RELAY_URL.* TLS/,
    ),
  });
});

test("the relay is greeted with the name that the server uses there", async () => {
  const strict = createServer((socket) => {
    socket.on("error", () => {}).write("220 relay.postern.test\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      const isKnown = !/^(?:EHLO|HELO) /.test(line) || line.endsWith(" mx.postern.test");
      socket.write(isKnown ? "250 ok\r\n" : "421 4.7.0 unknown name\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(strict, "listening");
  onTestFinished(() => void strict.close());
  const { port } = strict.address() as AddressInfo;
  expect(await find("relay", { POSTERN_RELAY_URL: `smtp://127.0.0.1:${port}` })).toMatchObject({
    status: "ok",
  });
});

test("a relay that ends the session before all senders were tried", async () => {
  const impatient = createServer((socket) => {
    let senders = 0;
    socket.on("error", () => {}).write("220 relay.postern.test\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      if (line.startsWith("MAIL FROM")) senders += 1;
      if (senders > 1) socket.destroy();
      else socket.write("250 ok\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(impatient, "listening");
  onTestFinished(() => void impatient.close());
  const { port } = impatient.address() as AddressInfo;
  expect(await find("relay", { POSTERN_RELAY_URL: `smtp://127.0.0.1:${port}` })).toMatchObject({
    status: "warning",
    found: `127.0.0.1:${port} ended the session or was too slow: 2 of 3 senders were not tried`,
  });
});

describe("a relay that does not accept mail to the operator", () => {
  test("because it is this server", async () => {
    const started = valueOf(
      await startServer(configurationWith({ ...variables, POSTERN_LOG_LEVEL: "silent" })),
    );
    onTestFinished(() => started.stop());
    const host = `127.0.0.1:${started.mailPort}`;
    expect(await find("relay", { POSTERN_RELAY_URL: `smtp://${host}` })).toMatchObject({
      status: "wrong",
      found: `${host} does not accept mail to POSTERN_POSTMASTER (550 to RCPT TO)`,
      action: expect.stringContaining("If POSTERN_RELAY_URL leads to the port of Postern itself"),
    });
  });

  test("for now", async () => {
    const onRcptTo: SMTPServerOptions["onRcptTo"] = (_address, _session, done) =>
      done(Object.assign(new Error("later"), { responseCode: 450 }));
    const greylisting = await startMailbox(0, { onRcptTo, hideSTARTTLS: true });
    onTestFinished(greylisting.stop);
    expect(await find("relay", { POSTERN_RELAY_URL: greylisting.url })).toMatchObject({
      status: "warning",
      found: expect.stringContaining("(450 to RCPT TO)"),
      action: expect.stringMatching(/^Try again/),
    });
  });
});

describe("DKIM", () => {
  test("a key that others can read, and one that is missing", async () => {
    const path = join(directory, "exposed.pem");
    await newDkimKey(path);
    chmodSync(path, 0o644);
    expect(await find("dkim-key", { POSTERN_DKIM_KEY: path })).toMatchObject({
      status: "warning",
      found: `${path} has mode 0644: other users can sign as the alias domains`,
    });
    expect(await find("dkim-key", { POSTERN_DKIM_KEY: "/nowhere" })).toMatchObject({
      status: "wrong",
      found: "/nowhere cannot be read (ENOENT)",
    });
    expect(await find("dns-dkim", { POSTERN_DKIM_KEY: "/nowhere" })).toMatchObject({
      found: expect.stringMatching(/^skipped because of/),
    });
  });

  test.each([
    ["no-key.test", "wrong", "there is no key at postern1._domainkey.no-key.test"],
    [
      "wrong-key.test",
      "wrong",
      "the key at postern1._domainkey.wrong-key.test is not that of POSTERN_DKIM_KEY",
    ],
    ["two-keys.test", "wrong", "there are 2 keys at postern1._domainkey.two-keys.test"],
    ["try-key.test", "warning", "the key at postern1._domainkey.try-key.test is marked as a test (t=y)"],
  ])("the records of %s are %s", async (domain, status, found) => {
    expect(await find("dns-dkim", { POSTERN_ALIAS_DOMAINS: `right.test,${domain}` })).toMatchObject({
      status,
      found: expect.stringContaining(found),
    });
  });
});

describe("DNS", () => {
  test("no MX record, one that leads elsewhere, and a name without an address", async () => {
    for (const domain of ["nobody.test", "null.test"]) {
      expect(await find("dns-alias-domains", { POSTERN_ALIAS_DOMAINS: domain })).toMatchObject({
        status: "wrong",
        found: expect.stringContaining(`${domain} has no MX record that names a mail server`),
        action: "`mail records` prints what to publish",
      });
    }
    expect(await find("dns-alias-domains", { POSTERN_ALIAS_DOMAINS: "elsewhere.test" })).toMatchObject({
      status: "wrong",
      found:
        "elsewhere.test has MX mail.elsewhere.test, not mx.postern.test: mail to its aliases does not reach this server",
    });
    expect(await find("dns-alias-domains", { POSTERN_MX_NAME: "nowhere.test" })).toMatchObject({
      status: "wrong",
      found: expect.stringContaining("nowhere.test (POSTERN_MX_NAME) has no address"),
    });
  });

  test("SPF that allows nobody, and no SPF or DMARC record at all", async () => {
    expect(await find("dns-spf", { POSTERN_ALIAS_DOMAINS: "nobody.test" })).toMatchObject({
      status: "wrong",
      found: expect.stringContaining("nobody may send"),
    });
    expect(await find("dns-spf", { POSTERN_ALIAS_DOMAINS: "elsewhere.test" })).toMatchObject({
      status: "warning",
      action: expect.stringContaining("POSTERN_RELAY_URL"),
    });
    expect(await find("dns-dmarc", { POSTERN_ALIAS_DOMAINS: "elsewhere.test" })).toMatchObject({
      status: "warning",
      found: "elsewhere.test has no DMARC record",
    });
  });

  test("several DMARC records, at the domain or above it, unless the domain has its own", async () => {
    for (const domain of ["two-policies.test", "alias.two-policies.test"]) {
      expect(await find("dns-dmarc", { POSTERN_ALIAS_DOMAINS: domain })).toMatchObject({
        status: "warning",
        found: "there are 2 DMARC records at _dmarc.two-policies.test, so none of them counts",
        action: "Remove all but one of them",
      });
    }
    expect(await find("dns-dmarc", { POSTERN_ALIAS_DOMAINS: "own.two-policies.test" })).toMatchObject({
      status: "ok",
    });
  });

  test("a reverse name that is missing or different; with a relay elsewhere, it does not matter", async () => {
    expect(await find("dns-reverse", { POSTERN_MX_NAME: "unnamed.postern.test" })).toMatchObject({
      status: "warning",
      found: expect.stringMatching(/^127\.0\.0\.10 has no PTR record/),
    });
    expect(await find("dns-reverse", { POSTERN_MX_NAME: "misnamed.postern.test" })).toMatchObject({
      status: "warning",
      found: expect.stringMatching(
        /^127\.0\.0\.11 resolves to other\.postern\.test, not misnamed\.postern\.test/,
      ),
    });
    expect(await find("dns-reverse", { POSTERN_RELAY_URL: "smtps://relay.postern.test" })).toMatchObject({
      status: "ok",
      found: expect.stringMatching(/^not needed/),
    });
  });

  test("a resolver that does not answer is named", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    for (const name of ["dns-dkim", "dns-spf", "dns-dmarc", "dns-reverse", "dns-alias-domains"]) {
      expect(await find(name, { POSTERN_DNS: `127.0.0.1:${port}` })).toMatchObject({
        status: "warning",
        found: expect.stringMatching(/DNS lookup of \S+ failed/),
        action: expect.stringContaining("POSTERN_DNS"),
      });
    }
  });
});
