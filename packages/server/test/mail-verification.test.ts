import { join } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { valueOf } from "@postern/core/testing";
import { wordsIn } from "@postern/core/words";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { configurationWith } from "./support/configuration.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startMailbox } from "./support/mailbox.ts";
import { expectNoSecrets } from "./support/no-secrets.ts";
import { startServer } from "./support/released.ts";
import { run } from "./support/run-command.ts";
import { startServerProcess } from "./support/server-process.ts";

/* Verification messages leave through the spool of a server that receives mail. */

const ADDRESS = "ada@home.example";
const HOUR = 60 * 60_000;

const Recipient = z.looseObject({
  recipient_id: z.string(),
  verified: z.boolean(),
  datetime_verification_sent: z.number().nullable(),
  verification_note: z.string().nullable(),
});
const Copies = z.object({ copy: z.string(), for: z.string() });

/** A relay that gives this answer to each recipient. The answer can be changed; 250 accepts. */
const startRelay = async (answer: number) => {
  const relay = { answer, asked: 0 };
  const mailbox = await startMailbox(0, {
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) => {
      relay.asked += 1;
      const text = `${address} is not welcome`;
      done(relay.answer === 250 ? null : Object.assign(new Error(text), { responseCode: relay.answer }));
    },
  });
  onTestFinished(mailbox.stop);
  return Object.assign(relay, { url: mailbox.url, messages: mailbox.messages });
};

const startProvider = async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  return provider;
};

/** For several server processes, one after the other. */
const newDurableEnvironment = async (
  provider: { readonly issuer: string },
  relay: { readonly url: string },
): Promise<Record<string, string>> => {
  const { directory, variables } = await newMailEnvironment();
  return {
    ...variables,
    POSTERN_STORE: "sqlite",
    POSTERN_SQLITE_PATH: join(directory, "postern.db"),
    POSTERN_ISSUER: provider.issuer,
    POSTERN_RELAY_URL: relay.url,
  };
};

/** Requests to the API at `url`. */
const client = (url: string, token: string) => {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return Recipient.parse(await response.json());
  };
  return {
    add: (email = ADDRESS) => call("POST", "/recipients", { recipient_email: email }),
    get: (id: string) => call("GET", `/recipients/${id}`),
  };
};

/** A server in this process. */
const start = async (relay: { readonly url: string }) => {
  const provider = await startProvider();
  const { variables } = await newMailEnvironment();
  const configuration = configurationWith({
    ...variables,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_RELAY_URL: relay.url,
    POSTERN_LOG_LEVEL: "silent",
  });
  const server = valueOf(await startServer(configuration, { store: memoryStore() }));
  onTestFinished(() => server.stop());
  return client(server.url, provider.token);
};

test("a message that is deferred survives a kill, and is sent by the next server", async () => {
  const relay = await startRelay(451);
  const provider = await startProvider();
  const environment = {
    ...(await newDurableEnvironment(provider, relay)),
    POSTERN_MAIL_FROM: "postern@alias.example.com",
    POSTERN_SERVICE_NAME: "Grüße & Co.",
    POSTERN_LANGUAGE: "de",
  };
  const first = await startServerProcess(environment);
  const added = await client(first.url, provider.token).add();
  expect(added).toMatchObject({
    verification_mail: "queued",
    datetime_verification_sent: null,
    verification_note: expect.stringContaining("waiting to be sent"),
  });
  await expect.poll(() => relay.asked).toBe(1);
  first.kill();
  expectNoSecrets(first.output(), environment);

  const listed = await run(environment, "mail", "queue", "list", "--json");
  const [line = ""] = listed.output.split("\n");
  const { copy, for: purpose } = Copies.parse(JSON.parse(line));
  expect(purpose).toBe("verification");
  for (const command of ["show", "retry"]) {
    const ran = await run(environment, "mail", "queue", command, copy);
    expect(ran).toMatchObject({ status: 0 });
    expectNoSecrets(`${ran.output}${ran.errors}${listed.output}`, environment);
  }

  relay.answer = 250;
  const second = await startServerProcess(environment);
  await expect.poll(() => relay.messages.length).toBe(1);
  const [message] = relay.messages;
  expect(message).toMatchObject({
    from: { name: "Grüße & Co.", address: "postern@alias.example.com" },
    to: [{ address: ADDRESS }],
    subject: wordsIn("de").message.subject("Grüße & Co."),
  });
  expect(message?.headers.map(({ key }) => key)).toContain("dkim-signature");
  const { get } = client(second.url, provider.token);
  const shown = () => get(added.recipient_id);
  await expect
    .poll(shown)
    .toMatchObject({ datetime_verification_sent: expect.any(Number), verification_note: null });
  const [, link = ""] = /^http:\/\/[^/]+(\/\S+)$/m.exec(message?.text ?? "") ?? [];
  await fetch(`${second.url}${link}&confirm=true`);
  expect(await shown()).toMatchObject({ verified: true });
  await second.stop();
});

test("the recipient shows that its mail server refused the message permanently", async () => {
  const relay = await startRelay(550);
  const api = await start(relay);
  const added = await api.add();
  expect(added).toMatchObject({ verification_mail: "queued" });
  await expect
    .poll(() => api.get(added.recipient_id))
    .toMatchObject({
      datetime_verification_sent: null,
      verification_note: expect.stringMatching(/refused the verification message for good/),
    });
  expect([relay.asked, relay.messages]).toEqual([1, []]);
});

test("after an hour of deferrals, the message is abandoned, and the recipient shows it", async () => {
  const relay = await startRelay(451);
  const provider = await startProvider();
  const environment = await newDurableEnvironment(provider, relay);
  const first = await startServerProcess(environment);
  const api = client(first.url, provider.token);
  const added = await api.add();
  await expect.poll(() => relay.asked).toBe(1);
  expect(await api.get(added.recipient_id)).toMatchObject({
    verification_note: expect.stringContaining("waiting to be sent"),
  });
  await first.stop();

  const anHourLater = `const { now } = Date;
    globalThis.Date = class extends Date {
      static now() { return now() + ${HOUR}; }
      constructor(...input) { super(...(input.length === 0 ? [now() + ${HOUR}] : input)); }
    };`;
  const second = await startServerProcess({
    ...environment,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(anHourLater)}`,
  });
  const inAnHour = Math.floor((Date.now() + HOUR) / 1000);
  const token = provider.tokenOf("somebody", "test", { iat: inAnHour, exp: inAnHour + 600 });
  const later = client(second.url, token);
  await expect
    .poll(() => later.get(added.recipient_id))
    .toMatchObject({
      datetime_verification_sent: null,
      verification_note: expect.stringMatching(/No mail server has accepted .* within an hour/),
    });
  await second.stop();
});
