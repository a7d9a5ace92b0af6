import { expect, onTestFinished, test } from "vitest";
import { smtpMail } from "../src/index.ts";
import { message, settings, startMailServer } from "./support/mail-server.ts";

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
