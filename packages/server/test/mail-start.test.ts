import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { newCertificate } from "@postern/test-support/certificate";
import { freePort } from "@postern/test-support/free-port";
import { expect, onTestFinished, test } from "vitest";
import { explainFailure } from "../src/cli/messages.ts";
import { configurationWith } from "./support/configuration.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startServer } from "./support/released.ts";
import { run } from "./support/run-command.ts";
import { startServerProcess } from "./support/server-process.ts";
import { openSession } from "./support/smtp-session.ts";

/* A server that receives mail starts, or reports everything that prevents it. */

const start = async (variables: Record<string, string>) => {
  const started = await startServer(configurationWith({ ...variables, POSTERN_LOG_LEVEL: "silent" }));
  if (started.isOk()) onTestFinished(() => started.value.stop());
  return started;
};

const portOf = (started: Awaited<ReturnType<typeof start>>): number =>
  valueOf(started).mailPort ?? expect.unreachable("it does not receive mail");

test("greets with its name, even without a relay", async () => {
  const { variables } = await newMailEnvironment();
  const session = await openSession(portOf(await start(variables)));
  expect(session.greeting).toBe("220 mx.postern.test ESMTP Postern");
  session.end();
});

test("takes as many messages a minute from a network as configured", async () => {
  const { variables } = await newMailEnvironment();
  const session = await openSession(portOf(await start({ ...variables, POSTERN_MX_RATE_LIMIT: "1" })));
  await session.say("EHLO client.test");
  expect(await session.say("MAIL FROM:<bob@sender.test>")).toMatch(/^250 /);
  await session.say("RSET");
  expect(await session.say("MAIL FROM:<bob@sender.test>")).toMatch(/^421 4\.7\.0 /);
  session.end();
});

test("starts with a name server in brackets, without a port", async () => {
  const { variables } = await newMailEnvironment();
  valueOf(await start({ ...variables, POSTERN_DNS: "[::1]" }));
});

test("names every wrong file and a spool in use at once, and leaves nothing open", async () => {
  const { directory, variables } = await newMailEnvironment();
  const spool = variables.POSTERN_SPOOL_PATH;
  const other = valueOf(await sqliteSpool({ path: spool, limit: 1_000 }));
  const wrong = join(directory, "wrong.pem");
  writeFileSync(wrong, "no key");
  const failed = await start({
    ...variables,
    POSTERN_DKIM_KEY: wrong,
    POSTERN_MX_TLS_KEY: "/nowhere/key.pem",
    POSTERN_MX_TLS_CERT: wrong,
  });
  const error = failed.isErr() ? failed.error : expect.unreachable("it started");
  expect(error).toMatchObject({
    code: "cannot_open_mail",
    reasons: [
      `POSTERN_DKIM_KEY: ${wrong} is not an unencrypted private key in PEM format`,
      expect.stringMatching(/^POSTERN_SPOOL_PATH: .*spool\.db is in use/),
      "POSTERN_MX_TLS_KEY and POSTERN_MX_TLS_CERT: /nowhere/key.pem cannot be read (ENOENT)",
    ],
  });
  expect(explainFailure(error)).toMatch(/^Mail cannot be received:\n\n( {2}\S.*\.\n){3}$/);

  await other.close();
  valueOf(await start(variables));
});

test("reports that its port is in use, and creates no spool", async () => {
  const { variables } = await newMailEnvironment();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const failed = await start({ ...variables, POSTERN_MX_PORT: `${port}` });
  const error = failed.isErr() ? failed.error : expect.unreachable("it started");
  expect(error).toEqual({
    code: "cannot_listen",
    what: "mail",
    host: "127.0.0.1",
    port,
    reason: "EADDRINUSE",
  });
  expect(explainFailure(error)).toContain("set POSTERN_MX_PORT to another port");
  expect(existsSync(variables.POSTERN_SPOOL_PATH)).toBe(false);
});

test.each([
  ["webhooks", {}],
  // By then it listens on all other ports.
  ["mail", { POSTERN_WEBHOOKS: "false" }],
])("leaves nothing open if starting %s throws", async (_, changed) => {
  const { variables } = await newMailEnvironment();
  const all = {
    ...variables,
    ...changed,
    PORT: `${await freePort()}`,
    POSTERN_METRICS_PORT: `${await freePort()}`,
    POSTERN_KEYS_PORT: `${await freePort()}`,
    POSTERN_KEYS_URL: "https://keys.postern.test",
    POSTERN_LOG_LEVEL: "silent",
  };
  // `readConfiguration` does not accept this name server.
  await expect(startServer({ ...configurationWith(all), dns: "nonsense" })).rejects.toThrow(TypeError);
  valueOf(await start(all));
});

test("ends with one line and status 1 if its port is taken or its address does not belong to this machine", async () => {
  const { variables } = await newMailEnvironment();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  expect(await run({ ...variables, POSTERN_MX_PORT: `${port}` })).toEqual({
    status: 1,
    output: "",
    errors: `Port ${port} of 127.0.0.1 is in use. Stop the process that uses it, or set POSTERN_MX_PORT to another port.\n`,
  });
  // An address for documentation (RFC 5737).
  expect(await run({ ...variables, POSTERN_MX_HOST: "192.0.2.1", POSTERN_MX_PORT: "2525" })).toEqual({
    status: 1,
    output: "",
    errors:
      "192.0.2.1 is not an address of this machine. Set POSTERN_MX_HOST to one that is, or to 0.0.0.0 for all of them.\n",
  });
});

test("ends with one line if it is not allowed to listen on its port", async () => {
  const { variables } = await newMailEnvironment();
  // In its own network namespace, ports below 1024 need a capability, whatever the settings of this machine.
  const withoutRight = [
    ...["unshare", "--net", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])],
    ...["setpriv", "--bounding-set", "-net_bind_service"],
  ];
  const starting = startServerProcess(
    { ...variables, POSTERN_MX_HOST: "0.0.0.0", POSTERN_MX_PORT: "25" },
    withoutRight,
  );
  await expect(starting).rejects.toThrow(
    /^the server did not start \(status 1\): This process is not allowed to listen on port 25 of 0\.0\.0\.0\. [^\n]*postern-mail\.conf[^\n]*\n$/,
  );
});

test("reloads its certificate, and keeps the previous one if the new one is wrong", async () => {
  const { directory, variables } = await newMailEnvironment();
  const certificateOf = (name: string) => {
    mkdirSync(join(directory, name));
    return newCertificate(join(directory, name), 90, name);
  };
  const [first, second] = [certificateOf("first.test"), certificateOf("second.test")];
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const use = ({ keyFile, file }: Pick<typeof first, "keyFile" | "file">) => {
    copyFileSync(keyFile, key);
    copyFileSync(file, cert);
  };
  use(first);
  const started = await start({ ...variables, POSTERN_MX_TLS_KEY: key, POSTERN_MX_TLS_CERT: cert });
  const shown = async () => (await openSession(portOf(started))).certificateName();
  expect(await shown()).toBe("first.test");
  use(second);
  expect(await shown()).toBe("first.test");
  valueOf(started).reload();
  expect(await shown()).toBe("second.test");
  const empty = join(directory, "empty.pem");
  writeFileSync(empty, "");
  for (const wrong of [
    { keyFile: first.keyFile, file: second.file },
    { keyFile: second.keyFile, file: empty },
    { keyFile: empty, file: second.file },
  ]) {
    use(wrong);
    valueOf(started).reload();
    expect(await shown()).toBe("second.test");
  }
});

test("does not start with an empty certificate", async () => {
  const { directory, variables } = await newMailEnvironment();
  const { keyFile } = newCertificate(directory, 90);
  const empty = join(directory, "empty.pem");
  writeFileSync(empty, "");
  const failed = await start({ ...variables, POSTERN_MX_TLS_KEY: keyFile, POSTERN_MX_TLS_CERT: empty });
  expect(failed.isErr() && failed.error).toEqual({
    code: "cannot_open_mail",
    reasons: [`POSTERN_MX_TLS_KEY and POSTERN_MX_TLS_CERT: ${empty} is not a certificate in PEM format`],
  });
});

test("when it stops, it finishes a message that is arriving, and keeps it; others are told to try again later", async () => {
  const { variables } = await newMailEnvironment();
  const started = await start(variables);
  const port = portOf(started);
  const [busy, idle] = [await openSession(port), await openSession(port)];
  await busy.say("EHLO client.test");
  expect(await busy.say("MAIL FROM:<bob@sender.test>")).toMatch(/^250 /);
  expect(await busy.say("RCPT TO:<postmaster@alias.example.com>")).toMatch(/^250 /);
  expect(await busy.say("DATA")).toMatch(/^354 /);
  busy.write("From: bob@sender.test\r\n\r\nHello");

  const stopped = valueOf(started).stop();
  expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
  expect(await busy.say(".")).toMatch(/^250 2\.0\.0 queued as [a-z2-7]{26}$/);
  expect(await busy.reply()).toMatch(/^421 /);
  await stopped;

  const spool = valueOf(await sqliteSpool({ path: variables.POSTERN_SPOOL_PATH, limit: 1_000 }));
  onTestFinished(spool.close);
  expect(valueOf(await spool.size()).queued).toBe(1);
});
