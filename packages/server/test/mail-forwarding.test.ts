import { memoryStore } from "@postern/adapter-memory";
import { postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../src/start-server.ts";
import { configurationWith } from "./support/configuration.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startMailbox } from "./support/mailbox.ts";
import { openSession } from "./support/smtp-session.ts";

/* A message to an alias, from the client that sends it to the mailboxes that it arrives in. */

const ADA = "ada@home.example";
const GRACE = "grace@work.example";
const ALIAS = "shop@alias.example.com";

const PATIENCE = { timeout: 30_000 };

/** A server that forwards to `relay`, and an alias with two recipients. */
const start = async (relay: { readonly url: string }) => {
  const { variables } = await newMailEnvironment();
  const store = memoryStore();
  const service = postern({ store, aliasDomains: ["alias.example.com"], ...testPorts() });
  const recipientIds: string[] = [];
  for (const email of [ADA, GRACE]) {
    recipientIds.push(valueOf(await service.adoptRecipient({ account: "account", email })).id);
  }
  const alias = valueOf(await service.createAlias({ account: "account", email: ALIAS, recipientIds }));
  const configuration = configurationWith({
    ...variables,
    POSTERN_ALIAS_DOMAINS: "alias.example.com",
    POSTERN_RELAY_URL: relay.url,
    POSTERN_LOG_LEVEL: "silent",
  });
  const server = valueOf(await startServer(configuration, { store }));
  onTestFinished(() => server.stop());
  const counts = async () => {
    const { tallies } = valueOf(await service.getAlias({ account: "account", aliasId: alias.id }));
    return { sent: tallies.sent.count, bounced: tallies.bounced.count };
  };
  return { port: server.mailPort ?? expect.unreachable("it receives mail"), counts };
};

const send = async (port: number) => {
  const session = await openSession(port);
  onTestFinished(session.end);
  await session.say("EHLO mail.sender.test");
  await session.say("MAIL FROM:<bob@sender.test>");
  expect(await session.say(`RCPT TO:<${ALIAS}>`)).toMatch(/^250 /);
  expect(await session.say("DATA")).toMatch(/^354 /);
  session.write(`From: Bob <bob@sender.test>\r\nTo: ${ALIAS}\r\nSubject: Hello\r\n\r\nHow are you?`);
  expect(await session.say(".")).toMatch(/^250 2\.0\.0 /);
};

test("a message to an alias arrives at each recipient, signed, and without any recipient's address", async () => {
  const envelopes: string[][] = [];
  const relay = await startMailbox(0, {
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, { envelope: { mailFrom } }, done) => {
      envelopes.push([mailFrom ? mailFrom.address : "", address]);
      done();
    },
  });
  onTestFinished(relay.stop);
  const { port, counts } = await start(relay);
  await send(port);
  await expect.poll(() => relay.messages.length).toBe(2);
  expect(envelopes.map(([, to]) => to).toSorted()).toEqual([ADA, GRACE]);
  const senders = envelopes.map(([from]) => from);
  expect(new Set(senders).size).toBe(2);
  for (const from of senders) expect(from).toMatch(/^b-[a-z2-7]{26}@alias\.example\.com$/);
  for (const message of relay.messages) {
    expect(message.from).toMatchObject({
      name: "Bob (bob at sender.test)",
      address: expect.stringMatching(/^r-[a-z2-7]{26}@alias\.example\.com$/),
    });
    expect(message).toMatchObject({ subject: "Hello", text: "How are you?\n" });
    expect(message.headers.map(({ key }) => key)).toContain("dkim-signature");
    for (const secret of [ADA, GRACE]) expect(JSON.stringify(message)).not.toContain(secret);
  }
  await expect.poll(counts).toEqual({ sent: 2, bounced: 0 });
});

test("a message that reaches no recipient counts as bounced, and an unverified sender is told nothing", async () => {
  const relay = await startMailbox(0, {
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) =>
      done(
        address === ADA || address === GRACE
          ? Object.assign(new Error(`${address} is unknown`), { responseCode: 550 })
          : null,
      ),
  });
  onTestFinished(relay.stop);
  const { port, counts } = await start(relay);
  await send(port);
  await expect.poll(counts).toEqual({ sent: 0, bounced: 2 });
  expect(relay.messages).toEqual([]);
});

test("a connection on which the relay does not respond delays one copy, and no other", {
  timeout: 120_000,
}, async () => {
  let proceed: (() => void) | undefined;
  const relay = await startMailbox(0, {
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) => {
      if (address === ADA && proceed === undefined) proceed = done;
      else done();
    },
  });
  onTestFinished(relay.stop);
  const { port, counts } = await start(relay);
  await send(port);
  await expect.poll(() => proceed, PATIENCE).toBeDefined();
  await expect.poll(counts, PATIENCE).toEqual({ sent: 1, bounced: 0 });
  // The other recipient of the same message, and both of the next one.
  await send(port);
  await expect.poll(counts, PATIENCE).toEqual({ sent: 3, bounced: 0 });
  proceed?.();
  await expect.poll(counts, PATIENCE).toEqual({ sent: 4, bounced: 0 });
});
