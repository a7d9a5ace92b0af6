import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { checkSmtp, smtpMail, smtpRelay } from "../src/index.ts";
import {
  address,
  message,
  settings,
  startMailServer,
  startRawServer,
  startScriptedServer,
  willing,
} from "./support/mail-server.ts";

const send = (url: string) => {
  const mail = smtpMail({ url, ...settings });
  onTestFinished(() => mail.close());
  return mail.send(message);
};

const notSent = { error: { code: "not_sent" } };

test("rejects an untrusted certificate, with STARTTLS and with implicit TLS", async () => {
  const starttls = await startMailServer();
  expect(await send(`smtp://${starttls.host}`)).toMatchObject(notSent);
  const implicit = await startMailServer({ secure: true });
  expect(await send(`smtps://${implicit.host}`)).toMatchObject(notSent);
  expect([...starttls.received, ...implicit.received]).toEqual([]);
});

test("the URL can turn off certificate verification, and the message is still encrypted", async () => {
  const starttls = await startMailServer();
  expect(await send(`smtp://${starttls.host}?tls.rejectUnauthorized=false`)).toMatchObject({
    value: undefined,
  });
  const implicit = await startMailServer({ secure: true });
  expect(await send(`smtps://${implicit.host}?tls.rejectUnauthorized=false`)).toMatchObject({
    value: undefined,
  });
  expect([...starttls.received, ...implicit.received]).toMatchObject([{ secure: true }, { secure: true }]);
});

test("sends unencrypted to a server without STARTTLS, unless the URL requires TLS", async () => {
  const server = await startMailServer({ disabledCommands: ["STARTTLS"] });
  expect(await send(`smtp://${server.host}?requireTLS=true`)).toMatchObject(notSent);
  expect(server.received).toEqual([]);
  expect(await send(`smtp://${server.host}`)).toMatchObject({ value: undefined });
  expect(server.received).toMatchObject([{ secure: false }]);
});

test("takes the percent-encoded user and password from the URL", async () => {
  const server = await startMailServer({
    authOptional: false,
    onAuth: ({ username, password }, _session, done) =>
      username === "us:er@mail.example" && password === "p@ss:/?#"
        ? done(null, { user: username })
        : done(new Error("no")),
  });
  const as = (user: string, password: string) =>
    send(
      `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${server.host}?tls.rejectUnauthorized=false`,
    );
  expect(await as("us:er@mail.example", "wrong")).toMatchObject(notSent);
  expect(await send(`smtp://${server.host}?tls.rejectUnauthorized=false`)).toMatchObject(notSent);
  expect(server.received).toEqual([]);
  expect(await as("us:er@mail.example", "p@ss:/?#")).toMatchObject({ value: undefined });
  expect(server.received).toMatchObject([{ user: "us:er@mail.example", secure: true }]);
});

/** A proxy to the server at `host`, and what clients say through it. */
const overhear = async (host: string) => {
  const said: string[] = [];
  const port = Number(host.split(":")[1]);
  const here = await startRawServer((client) => {
    const server = connect(port, "127.0.0.1");
    server.on("error", () => client.destroy());
    client.on("data", (data: Buffer) => said.push(data.toString("latin1")));
    client.pipe(server).pipe(client);
  });
  return { host: here, said };
};

/** The outcome of sending with this URL, in each way. */
const sendAll = async (url: string) => {
  const relay = smtpRelay({ url, name: "mx.postern.test", connections: 1 });
  onTestFinished(() => relay.close());
  const body = { size: 0, read: async function* () {} };
  const envelope = { from: settings.from, to: address("ada@example.com") };
  return [
    await send(url),
    await relay.send({ envelope, header: "A: b\r\n", body }),
    (await checkSmtp({ url, senders: [settings.from] }, 10_000)).sending,
  ];
};

const cause = { source: "smtp", reason: "no login offered" };
const nothingSent = [
  { error: { code: "not_sent", cause } },
  { kind: "deferred", about: "relay", cause },
  { error: cause },
];

test("a server that offers no login does not get the password, and nothing is sent", async () => {
  const server = await startMailServer({ disabledCommands: ["AUTH", "STARTTLS"] });
  const { host, said } = await overhear(server.host);
  const answers = await sendAll(`smtp://user:password@${host}`);
  expect(said.join("").match(/^\w+/gm)).toEqual(["EHLO", "EHLO", "EHLO"]);
  expect(answers).toMatchObject(nothingSent);
});

test.each([
  ["no extensions", { EHLO: "502 what\r\n", HELO: "250 hello\r\n" }],
  ["only a login without a password", { EHLO: "250-hello\r\n250 AUTH XOAUTH2 GSSAPI\r\n" }],
])("a server that offers %s does not get the password either", async (_, replies) => {
  const { host, said } = await startScriptedServer({ ...willing, ...replies, AUTH: "535 no\r\n" });
  const answers = await sendAll(`smtp://user:password@${host}`);
  expect(said.filter((line) => !/^(EHLO|HELO) /.test(line))).toEqual([]);
  expect(answers).toMatchObject(nothingSent);
});
