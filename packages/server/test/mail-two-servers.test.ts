import { dynamoStore } from "@postern/adapter-dynamodb";
import { LoggedMessage, parseSpoolMark, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { afterAll, expect, test } from "vitest";
import { deliveryReport } from "./support/delivery-report.ts";
import { addAliases, type Counts, countsOf, NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

/* Two servers that both receive mail, each with a spool of its own, on one table. */

const ALIAS = "shop@alias.example.com";
const [ADA, GRACE] = ["ada@home.example", "grace@work.example"];
const OTHER = "letters@alias.example.com";
const [BEA, GONE] = ["bea@home.example", "gone@work.example"];

const REPORT = deliveryReport("somebody@home.example", "failed", "5.1.1");

const refused = new Set([GONE]);
const relay = await startRelay(({ to }) => {
  if (refused.has(to)) throw refusal(550, to);
});
const takenFor = (...mailboxes: readonly string[]) => relay.taken.filter(({ to }) => mailboxes.includes(to));
const dynamoDb = await sharedDynamoDb();
const table = await dynamoDb.newTable();
const onCorruptItem = () => expect.unreachable("no item is corrupt");
const store = dynamoStore({ client: dynamoDb.client(), table, clock: Date, onCorruptItem });
afterAll(store.close);
await addAliases(store, "alias.example.com", { [ALIAS]: [ADA, GRACE], [OTHER]: [BEA, GONE] });
const servers = ["mx0.postern.test", "mx1.postern.test"].map(async (name) => {
  const { variables } = await newMailEnvironment();
  const server = await startServerProcess({
    ...variables,
    POSTERN_MX_NAME: name,
    POSTERN_RELAY_URL: relay.url,
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
    POSTERN_DYNAMODB_TABLE: table,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  afterAll(() => server.stop());
  return server.mailPort();
});
const [first = 0, second = 0] = await Promise.all(servers);
/** In neither server's process, on the same store. */
const service = postern({ store, aliasDomains: ["alias.example.com"], ...testPorts(Date.now()) });
const aliasIdOf = async (email: string): Promise<string> => {
  const { items } = valueOf(await service.listAliases({ account: "account" }));
  return items.find((alias) => alias.email === email)?.id ?? expect.unreachable();
};
const textTo = (alias: string): string =>
  `From: bob@sender.test\r\nTo: ${alias}\r\nSubject: Hello\r\n\r\nHow are you?`;

test("each server forwards what it accepted, both count exactly, and reports about a copy can reach either", async () => {
  const counts = (): Promise<Counts> => countsOf(store, ALIAS);
  const aliasId = await aliasIdOf(ALIAS);
  valueOf(await service.updateAliasRules({ account: "account", aliasId, messagesLeft: 9 }));
  let putOff = 0;
  /** Tries again after a temporary refusal, as a mail server does. */
  const send = async (port: number): Promise<string> => {
    const { reply } = await submit(port, { to: ALIAS, text: textTo(ALIAS) });
    if (!reply.startsWith("4")) return reply;
    putOff += 1;
    return send(port);
  };
  const replies = await Promise.all(
    [first, second].flatMap((port) => Array.from({ length: 6 }, () => send(port))),
  );
  const accepted = replies.filter((reply) => reply.startsWith("250")).length;
  expect(replies.filter((reply) => reply.startsWith("550 5.2.1"))).toHaveLength(12 - accepted);
  expect(accepted).toBeLessThanOrEqual(9);
  // A message whose acceptance the store has confirmed too late is refused temporarily, and was one of the nine.
  expect(accepted + putOff).toBeGreaterThanOrEqual(9);
  const taken = () => takenFor(ADA, GRACE);
  const forwarded = () => taken().filter(({ from }) => from !== "");
  await expect.poll(() => forwarded().length).toBe(2 * accepted);
  // The notice that the alias has ended goes to both recipients, once; to nobody if the last of the nine was the one that was refused.
  const told = () =>
    taken()
      .filter(({ from }) => from === "")
      .map(({ to }) => to)
      .toSorted();
  if (putOff === 0) await expect.poll(told).toEqual([ADA, GRACE]);
  await expect.poll(counts).toMatchObject({ sent: 2 * accepted, bounced: 0 });
  const { blocked } = await counts();
  expect(blocked).toBe(12 - accepted);
  expect(new Set(told()).size).toBe(told().length);

  const copies = forwarded();
  expect(new Set(copies.map(({ from }) => from)).size).toBe(2 * accepted);
  const sentBy = (n: number) => copies.filter(({ raw }) => raw.includes(`by mx${n}.postern.test`));
  expect(sentBy(0).length + sentBy(1).length).toBe(2 * accepted);
  const report = async (port: number, to: string) =>
    (await submit(port, { from: "", to, text: REPORT })).reply;
  for (const { from } of copies) {
    for (const port of [second, first]) expect(await report(port, from)).toMatch(/^250 /);
  }
  await expect.poll(counts, { timeout: 120_000 }).toMatchObject({ bounced: 2 * accepted });
  /** The reports that a server has not recorded yet, of those that came to the other one. */
  const unrecorded = async (sender = "") => {
    const mark = valueOf(parseSpoolMark(/-([a-z2-7]{8})[a-z2-7]{8}@/.exec(sender)?.[1]));
    return valueOf(await store.handedReports.list(mark, 100));
  };
  for (const [copy] of [sentBy(0), sentBy(1)]) {
    await expect.poll(() => unrecorded(copy?.from), { timeout: 120_000 }).toEqual([]);
  }
  expect(await counts()).toEqual({ ...NOTHING, sent: 2 * accepted, bounced: 2 * accepted, blocked });
});

test("a copy that one server could not send is sent again by that server, wherever this is requested", async () => {
  const aliasId = await aliasIdOf(OTHER);
  expect((await submit(second, { to: OTHER, text: textTo(OTHER) })).reply).toMatch(/^250 /);
  const account = "account";
  const logged = async () => valueOf(await service.listMessages({ account, aliasId })).items;
  const states = async () =>
    (await logged()).map(({ copies }) => copies.map(({ to, state }) => `${to} ${state}`).toSorted());
  await expect.poll(states).toEqual([[`${BEA} sent`, `${GONE} bounced`]]);
  refused.clear();
  const [message = expect.unreachable()] = await logged();
  const position = LoggedMessage.position(message);
  valueOf(await service.resendMessage({ account, aliasId, position }));
  await expect.poll(states).toEqual([[`${BEA} sent`, `${GONE} sent`]]);
  const taken = takenFor(BEA, GONE);
  expect(taken.map(({ to }) => to).toSorted()).toEqual([BEA, GONE]);
  expect(taken.every(({ raw }) => raw.includes("by mx1.postern.test"))).toBe(true);
});
