import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { configurationWith } from "./support/configuration.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startMailbox } from "./support/mailbox.ts";
import { startServer } from "./support/released.ts";
import { openSession } from "./support/smtp-session.ts";

const ALIAS = "shop@alias.example.com";

/** A server with an alias, and how to call its API and send mail to the alias. */
const start = async () => {
  const relay = await startMailbox(0, { disabledCommands: ["STARTTLS"] });
  onTestFinished(relay.stop);
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const { variables, directory } = await newMailEnvironment();
  const store = valueOf(sqliteStore({ path: join(directory, "postern.db"), clock: Date }));
  onTestFinished(store.close);
  const configuration = configurationWith({
    ...variables,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_ALIAS_DOMAINS: "alias.example.com",
    POSTERN_RELAY_URL: relay.url,
    POSTERN_LOG_LEVEL: "silent",
  });
  const server = valueOf(await startServer(configuration, { store }));
  onTestFinished(() => server.stop());

  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${provider.token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: z.looseObject({}).parse(text === "" ? {} : JSON.parse(text)),
    };
  };
  const service = postern({ store, aliasDomains: ["alias.example.com"], ...testPorts() });
  const { id } = valueOf(await service.adoptRecipient({ account: "somebody", email: "ada@home.example" }));
  const alias = await call("POST", "/aliases", { alias_email: ALIAS, recipient_ids: [id] });
  expect(alias.status).toBe(201);

  return {
    call,
    relay,
    blockedCount: async () =>
      (await call("GET", `/aliases/${alias.body["alias_id"]}`)).body["emails_blocked"],
    /** Sends a message to the alias. Returns the response to it. */
    send: async (from: string) => {
      const session = await openSession(server.mailPort ?? expect.unreachable("it receives mail"));
      onTestFinished(session.end);
      await session.say("EHLO mail.sender.test");
      await session.say(`MAIL FROM:<${from}>`);
      expect(await session.say(`RCPT TO:<${ALIAS}>`)).toMatch(/^250 /);
      expect(await session.say("DATA")).toMatch(/^354 /);
      session.write(`From: <${from}>\r\nTo: ${ALIAS}\r\nSubject: From ${from}\r\n\r\nHello`);
      return session.say(".");
    },
  };
};

test("mail from a domain that is blocked over the API is refused, until it is unblocked", async () => {
  const { call, relay, send, blockedCount } = await start();
  const subjects = () => relay.messages.map(({ subject }) => subject);
  expect(await send("bob@mail.sender.test")).toMatch(/^250 2\.0\.0 /);
  await expect.poll(subjects).toEqual(["From bob@mail.sender.test"]);

  const blocked = await call("POST", "/blocked-senders", { sender: "Sender.test" });
  expect(blocked).toMatchObject({ status: 200, body: { sender: "sender.test" } });
  expect(await send("bob@mail.sender.test")).toMatch(/^550 5\.7\.1 /);
  expect(await send("Eve@sender.test")).toMatch(/^550 5\.7\.1 /);
  expect(await send("eve@other.test")).toMatch(/^250 2\.0\.0 /);
  await expect.poll(subjects).toEqual(["From bob@mail.sender.test", "From eve@other.test"]);
  expect(await blockedCount()).toBe(2);

  const unblocked = await call("DELETE", `/blocked-senders/${blocked.body["blocked_sender_id"]}`);
  expect(unblocked.status).toBe(204);
  expect(await send("bob@mail.sender.test")).toMatch(/^250 2\.0\.0 /);
  await expect.poll(() => subjects().length).toBe(3);
  expect(await blockedCount()).toBe(2);
});
