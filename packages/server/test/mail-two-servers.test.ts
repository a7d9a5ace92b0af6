import { dynamoStore } from "@postern/adapter-dynamodb";
import { LoggedMessage, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { addAliases, type Counts, countsOf, NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

/* Two servers that both receive mail, each with a spool of its own, on one table. */

const ALIAS = "shop@alias.example.com";
const [ADA, GRACE] = ["ada@home.example", "grace@work.example"];
const PATIENCE = { timeout: 120_000 };
const TEXT = `From: bob@sender.test\r\nTo: ${ALIAS}\r\nSubject: Hello\r\n\r\nHow are you?`;

const REPORT = [
  "From: MAILER-DAEMON@relay.test",
  "Subject: Undelivered mail",
  "MIME-Version: 1.0",
  "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
  "",
  "--b",
  "Content-Type: message/delivery-status",
  "",
  "Reporting-MTA: dns; relay.test",
  "",
  "Final-Recipient: rfc822; somebody@home.example",
  "Action: failed",
  "Status: 5.1.1",
  "",
  "--b--",
].join("\r\n");

const start = async (refused: ReadonlySet<string> = new Set()) => {
  const relay = await startRelay(({ to }) => {
    if (refused.has(to)) throw refusal(550, to);
  });
  const dynamoDb = await sharedDynamoDb();
  const table = await dynamoDb.newTable();
  const onCorruptItem = () => expect.unreachable("no item is corrupt");
  const store = dynamoStore({ client: dynamoDb.client(), table, clock: Date, onCorruptItem });
  onTestFinished(store.close);
  await addAliases(store, "alias.example.com", { [ALIAS]: [ADA, GRACE] });
  const [one, other] = [await newMailEnvironment(), await newMailEnvironment()];
  const servers = [one, other].map(async ({ variables }, n) => {
    const server = await startServerProcess({
      ...variables,
      POSTERN_DKIM_KEY: one.variables.POSTERN_DKIM_KEY,
      POSTERN_MX_NAME: `mx${n}.postern.test`,
      POSTERN_RELAY_URL: relay.url,
      POSTERN_STORE: "dynamodb",
      POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
      POSTERN_DYNAMODB_TABLE: table,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    });
    onTestFinished(async () => void (await server.stop()));
    return server.mailPort();
  });
  const [first = 0, second = 0] = await Promise.all(servers);
  const service = postern({ store, aliasDomains: ["alias.example.com"], ...testPorts(Date.now()) });
  const { items } = valueOf(await service.listAliases({ account: "account" }));
  const [{ id: aliasId } = expect.unreachable()] = items;
  return {
    /** In neither server's process, on the same store. */
    service,
    aliasId,
    relay,
    first,
    second,
    counts: (): Promise<Counts> => countsOf(store, ALIAS),
    acceptOnly: async (messagesLeft: number) =>
      valueOf(await service.updateAliasRules({ account: "account", aliasId, messagesLeft })),
  };
};

test("each server forwards what it accepted, both count exactly, and only the sender of a copy recognizes reports about it", {
  timeout: 300_000,
}, async () => {
  const { relay, first, second, counts, acceptOnly } = await start();
  await acceptOnly(9);
  /** Tries again after a temporary refusal, as a mail server does. */
  const send = async (port: number): Promise<string> => {
    const { reply } = await submit(port, { to: ALIAS, text: TEXT });
    return reply.startsWith("4") ? send(port) : reply;
  };
  const replies = await Promise.all(
    [first, second].flatMap((port) => Array.from({ length: 6 }, () => send(port))),
  );
  expect(replies.filter((reply) => reply.startsWith("250"))).toHaveLength(9);
  expect(replies.filter((reply) => reply.startsWith("550 5.2.1"))).toHaveLength(3);
  // The notice that the alias has ended goes to both recipients, once.
  await expect.poll(() => relay.taken.length, PATIENCE).toBe(2 * 9 + 2);
  await expect.poll(counts, PATIENCE).toMatchObject({ sent: 18, bounced: 0 });
  const { blocked } = await counts();
  expect(blocked).toBe(3);
  expect(
    relay.taken
      .filter(({ from }) => from === "")
      .map(({ to }) => to)
      .toSorted(),
  ).toEqual([ADA, GRACE]);

  const copies = relay.taken.filter(({ from }) => from !== "");
  expect(new Set(copies.map(({ from }) => from)).size).toBe(18);
  const sentBy = (n: number) => copies.filter(({ raw }) => raw.includes(`by mx${n}.postern.test`));
  expect(sentBy(0).length + sentBy(1).length).toBe(18);
  const [copy] = sentBy(0);
  const to = copy?.from ?? expect.unreachable("the first server has sent something");
  const report = async (port: number) => (await submit(port, { from: "", to, text: REPORT })).reply;
  expect(await report(second)).toMatch(/^550 5\.1\.1 /);
  expect(await report(first)).toMatch(/^250 /);
  await expect.poll(counts, PATIENCE).toEqual({ ...NOTHING, sent: 18, bounced: 1, blocked });
});

test("a copy that one server could not send is sent again by that server, wherever this is requested", {
  timeout: 300_000,
}, async () => {
  const refused = new Set([GRACE]);
  const { relay, second, service, aliasId } = await start(refused);
  expect((await submit(second, { to: ALIAS, text: TEXT })).reply).toMatch(/^250 /);
  const account = "account";
  const logged = async () => valueOf(await service.listMessages({ account, aliasId })).items;
  const states = async () =>
    (await logged()).map(({ copies }) => copies.map(({ to, state }) => `${to} ${state}`).toSorted());
  await expect.poll(states, PATIENCE).toEqual([[`${ADA} sent`, `${GRACE} bounced`]]);
  refused.clear();
  const [message = expect.unreachable()] = await logged();
  const position = LoggedMessage.position(message);
  valueOf(await service.resendMessage({ account, aliasId, position }));
  await expect.poll(states, PATIENCE).toEqual([[`${ADA} sent`, `${GRACE} sent`]]);
  expect(relay.taken.map(({ to }) => to).toSorted()).toEqual([ADA, GRACE]);
  expect(relay.taken.every(({ raw }) => raw.includes("by mx1.postern.test"))).toBe(true);
});
