import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { atEnd } from "./support/at-end.ts";
import { configurationWith } from "./support/configuration.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { startServer } from "./support/released.ts";
import { startServerProcess } from "./support/server-process.ts";
import { unloggedMessages } from "./support/spool-state.ts";
import { submit } from "./support/submit.ts";

/* Mail arrives at a server, and the owner of the alias sees in the same server's API what became of it. */

const ALIAS = "shop@alias.example.com";
const [ADA, GRACE] = ["ada@home.example", "grace@work.example"];
const [BEA, GONE] = ["bea@home.example", "gone@work.example"];

const Message = z.looseObject({ message_id: z.string(), datetime_received: z.number() });
const Page = z.object({ messages: z.array(Message), next_cursor: z.string().nullable() });

/** A server whose relay does not know some mailboxes. */
const start = async (changed: Readonly<Record<string, string>> = {}) => {
  const unknown = new Set(["grace@work.example", "gone@work.example"]);
  const relay = await startRelay(({ to }) => {
    if (unknown.has(to)) throw refusal(550, to);
  });
  const allowed = { TXT: ["v=spf1 ip4:127.0.0.1 -all"] };
  const dns = await startFakeDns({ "sender.example": allowed, "home.example": allowed });
  atEnd(() => dns.close());
  const provider = await startIdentityProvider();
  provider.release();
  atEnd(provider.stop);
  const { variables, directory } = await newMailEnvironment();
  const path = join(directory, "postern.db");
  const store = valueOf(sqliteStore({ path, clock: Date }));
  atEnd(store.close);
  const configuration = configurationWith({
    ...variables,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_ALIAS_DOMAINS: "alias.example.com",
    POSTERN_RELAY_URL: relay.url,
    POSTERN_DNS: `127.0.0.1:${dns.port}`,
    POSTERN_LOG_LEVEL: "silent",
    ...changed,
  });
  const server = valueOf(await startServer(configuration, { store }));
  atEnd(() => server.stop());

  const call = async (method: string, route: string, body?: object): Promise<unknown> => {
    const response = await fetch(server.url + route, {
      method,
      headers: { authorization: `Bearer ${provider.tokenOf("account")}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${method} ${route}`).toBe(true);
    return response.json();
  };
  const service = postern({ store, aliasDomains: ["alias.example.com"], ...testPorts(Date.now()) });
  const account = "account";
  return {
    relay,
    /** From now on the relay knows this mailbox. */
    repair: (mailbox: string) => unknown.delete(mailbox),
    newAlias: async (email: string, mailboxes: readonly string[]) => {
      const recipientIds: string[] = [];
      for (const mailbox of mailboxes) {
        recipientIds.push(valueOf(await service.adoptRecipient({ account, email: mailbox })).id);
      }
      const { id: aliasId } = valueOf(await service.createAlias({ account, email, recipientIds }));
      const messages = `/aliases/${aliasId}/messages`;
      return {
        /** What the log of the alias says now, newest first. */
        log: async (query = "") => Page.parse(await call("GET", messages + query)),
        message: async (id: string) => Message.parse(await call("GET", `${messages}/${id}`)),
        resend: (id: string) => call("POST", `${messages}/${id}/resend`),
        setRules: (rules: object) => call("PATCH", `/aliases/${aliasId}/rules`, rules),
        block: (contactId: string) =>
          call("PATCH", `/aliases/${aliasId}/contacts/${contactId}`, { blocking: "reject" }),
        switchOff: () => call("PATCH", `/aliases/${aliasId}`, { active: false }),
        addContact: async (address: string) =>
          valueOf(await service.createContact({ account, aliasId, email: address })).reverseAddress,
        /** What the server replies to a message. */
        send: async (from: string, to: string = email) => {
          const text = `From: Somebody <${from}>\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nHow are you?`;
          return (await submit(server.mailPort ?? expect.unreachable(), { from, to, text })).reply;
        },
      };
    },
  };
};

const { relay, repair, newAlias } = await start();

test("the log shows what became of each copy of messages that were sent, refused or blocked, and never their content", async () => {
  const { log, message, send, setRules, switchOff, addContact } = await newAlias(ALIAS, [ADA, GRACE]);
  const before = Date.now();
  expect(await send("bob@sender.example")).toMatch(/^250 /);
  const copy = { datetime_changed: expect.any(Number), reason: null };
  const sent = {
    message_id: expect.any(String),
    datetime_received: expect.any(Number),
    direction: "received",
    contact: { email: "bob@sender.example", contact_id: expect.any(String) },
    size: expect.any(Number),
    subject: null,
    blocked: null,
    count: 1,
    unsubscribes_from: null,
    recipients: [
      { ...copy, email: ADA, state: "sent" },
      {
        ...copy,
        email: GRACE,
        state: "bounced",
        reason: { code: "mailbox_unknown", message: expect.any(String) },
      },
    ],
    resendable_until: expect.any(Number),
  };
  await expect.poll(async () => (await log()).messages).toEqual([sent]);

  const reverseAddress = await addContact("carol@other.example");
  expect(await send(ADA, reverseAddress)).toMatch(/^250 /);
  const replied = {
    ...sent,
    direction: "sent",
    contact: null,
    recipients: [{ ...copy, email: "carol@other.example", state: "sent" }],
    resendable_until: null,
  };
  await expect.poll(async () => (await log()).messages).toEqual([replied, sent]);

  await setRules({ accept_from: "listed", senders: ["shop.example"] });
  expect(await send("eve@sender.example")).toMatch(/^550 5\.7\.1 /);
  await switchOff();
  expect(await send("eve@sender.example")).toMatch(/^550 5\.2\.1 /);
  const blocked = (code: string, known: object) => ({
    ...sent,
    ...known,
    blocked: { code, message: expect.any(String) },
    recipients: [],
    resendable_until: null,
  });
  const { messages } = await log();
  expect(messages).toEqual([
    blocked("alias_inactive", { contact: null, size: null }),
    blocked("not_listed", { contact: { email: "eve@sender.example", contact_id: expect.any(String) } }),
    replied,
    sent,
  ]);

  for (const each of messages) {
    expect(each.datetime_received).toBeGreaterThanOrEqual(before);
    expect(each.datetime_received).toBeLessThanOrEqual(Date.now());
    expect(await message(each.message_id)).toEqual(each);
  }
  const pages = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: z.infer<typeof Page> = await log(`?limit=1${cursor && `&cursor=${cursor}`}`);
    pages.push(page.messages);
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(messages.map((each) => [each]));
});

test("the author of a message can be blocked at its alias with what the log says", async () => {
  const { log, send, block } = await newAlias("offers@alias.example.com", ["ida@home.example"]);
  expect(await send("eve@sender.example")).toMatch(/^250 /);
  await expect.poll(async () => (await log()).messages).toHaveLength(1);
  const [{ contact } = expect.unreachable()] = (await log()).messages;
  const { contact_id } = z.object({ contact_id: z.string() }).parse(contact);
  await block(contact_id);
  expect(await send("Eve@sender.example")).toMatch(/^550 5\.7\.1 /);
  expect((await log()).messages).toMatchObject([
    { blocked: { code: "contact_blocked" }, contact: { email: "Eve@sender.example", contact_id } },
    { blocked: null, contact },
  ]);
});

test("a message that one recipient refused can be sent again, to that recipient only", async () => {
  const { log, message, send, resend } = await newAlias("letters@alias.example.com", [BEA, GONE]);
  expect(await send("bob@sender.example")).toMatch(/^250 /);
  const states = async (id: string) =>
    z
      .array(z.looseObject({ email: z.string(), state: z.string() }))
      .parse((await message(id))["recipients"])
      .map(({ email, state }) => `${email} ${state}`);
  await expect.poll(async () => (await log()).messages).toHaveLength(1);
  const [{ message_id: id } = expect.unreachable()] = (await log()).messages;
  await expect.poll(() => states(id)).toEqual([`${BEA} sent`, `${GONE} bounced`]);
  const before = relay.taken.length;
  repair(GONE);
  await resend(id);
  await expect.poll(() => states(id)).toEqual([`${BEA} sent`, `${GONE} sent`]);
  expect(relay.taken.slice(before).map(({ to }) => to)).toEqual([GONE]);
  expect(relay.taken.at(-1)?.raw).toContain("How are you?");
  expect((await message(id))["resendable_until"]).toBeNull();
});

test("subjects are shown if the operator has enabled them", async () => {
  const server = await start({ POSTERN_MAIL_SUBJECTS: "true" });
  const { log, send, setRules } = await server.newAlias(ALIAS, [ADA]);
  expect(await send("bob@sender.example")).toMatch(/^250 /);
  await setRules({ accept_from: "written_to" });
  expect(await send("eve@sender.example")).toMatch(/^550 5\.7\.1 /);
  await expect
    .poll(async () => (await log()).messages.map(({ subject }) => subject))
    .toEqual(["Hello", "Hello"]);
});

test("a message that was accepted before a crash is logged after the next start, and all others before a server stops", async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: [ADA] });
  const { url, taken } = await startRelay();
  const startProcess = () => startServerProcess({ ...variables, ...store.variables, POSTERN_RELAY_URL: url });
  const first = await startProcess();
  const text = `From: bob@sender.test\r\nTo: ${ALIAS}\r\n\r\nHello`;
  expect((await submit(first.mailPort(), { to: ALIAS, text })).reply).toMatch(/^250 /);
  first.kill();
  await first.ended;
  const second = await startProcess();
  onTestFinished(() => void second.kill());
  const sent = { copies: [{ to: ADA, state: "sent" }] };
  await expect.poll(() => store.log(ALIAS)).toMatchObject([sent]);

  const before = taken.length;
  for (let n = 0; n < 5; n += 1)
    expect((await submit(second.mailPort(), { to: ALIAS, text })).reply).toMatch(/^250 /);
  await expect.poll(() => taken.length).toBe(before + 5);
  await second.stop();
  expect(await store.log(ALIAS)).toMatchObject(Array(6).fill(sent));
  expect(unloggedMessages(variables.POSTERN_SPOOL_PATH)).toBe(0);
});
