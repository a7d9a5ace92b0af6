import { dynamoStore } from "../packages/adapter-dynamodb/src/index.ts";
import { startMeter } from "../packages/adapter-dynamodb/test/support/meter.ts";
import { memorySpool } from "../packages/adapter-memory/src/index.ts";
import { err, ok, type PortResult, postern } from "../packages/core/src/index.ts";
import { testPorts, valueOf } from "../packages/core/src/testing/index.ts";
import { mailPlane } from "../packages/mail/src/index.ts";
import type { DynamoDb } from "../packages/test-support/src/dynamodb-local.ts";
import prices from "./aws-prices.json" with { type: "json" };
import { markdownTable } from "./markdown-table.ts";

/** The document with the table of what a message costs, between two markers. */
export const COSTS_DOCUMENT = new URL("../docs/dynamodb.md", import.meta.url);

const TABLE =
  /(?<=^<!-- mail costs, written by `pnpm mail-costs` -->\n\n).*?(?=\n\n<!-- mail costs: end -->$)/ms;

const { usd } = prices;

type Units = { readonly read: number; readonly write: number };

const STEPS = [
  "RCPT: find the alias by its address",
  "end of DATA: read the alias, its contact and blocked senders; store a new contact",
  "count that it was sent",
  "log it",
] as const;

const ADDRESS = "shop@alias.example";

const HEADER = [
  "From: Bob <bob@sender.example>",
  `To: ${ADDRESS}`,
  "Subject: Hello",
  "Message-ID: <1@sender.example>",
  "",
].join("\r\n");

async function* body() {
  yield new TextEncoder().encode("Hello\r\n");
}

/** What each step costs, for the first message of a sender to an alias with one recipient and for the next one. */
const measure = async (dynamo: DynamoDb): Promise<readonly (readonly Units[])[]> => {
  const meter = await startMeter(dynamo.endpoint);
  const ports = testPorts(Date.now());
  const store = dynamoStore({
    client: dynamo.client(meter.endpoint),
    table: await dynamo.newTable(),
    clock: ports.clock,
    onCorruptItem: ({ sk }) => {
      throw new Error(`the item at ${sk} is damaged`);
    },
    timeoutMs: 60_000,
  });
  const spool = memorySpool({ limit: 1_000_000 });
  const aliasDomains = ["alias.example"];
  const account = "account";
  const service = postern({ store, aliasDomains, ...ports, timeoutMs: 60_000 });
  const { id } = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
  valueOf(await service.createAlias({ account, email: ADDRESS, recipientIds: [id] }));
  const plane = mailPlane({
    store,
    spool,
    signer: { sign: async ({ header, body }) => ok({ header, body }) },
    relay: { probe: async () => err({ code: "unavailable" }), send: async () => ({ kind: "accepted" }) },
    secrets: ports.secrets,
    clock: ports.clock,
    aliasDomains,
    serverName: "mx.alias.example",
    postmaster: "operator@home.example",
    timeoutMs: 60_000,
  });
  // Whether the account is suspended is remembered for ten seconds.
  valueOf(await plane.admitRecipient(ADDRESS));

  const costOf = async <T>(step: () => PortResult<T, { readonly code: string }>): Promise<[T, Units]> => {
    meter.read();
    const value = valueOf(await step());
    const requests = meter.read();
    const sum = (kind: keyof Units) => requests.reduce((all, { charged }) => all + charged[kind], 0);
    return [value, { read: sum("read"), write: sum("write") }];
  };
  const forwardOne = async (): Promise<readonly Units[]> => {
    const received = valueOf(await spool.receive(body()));
    const [recipient, found] = await costOf(() => plane.admitRecipient(ADDRESS));
    if (recipient.kind !== "alias") throw new Error("the alias was not found");
    const [, kept] = await costOf(() =>
      plane.receiveMessage({
        returnPath: "bob@sender.example",
        header: HEADER,
        body: received,
        session: { clientAddress: "192.0.2.1", clientName: "mail.sender.example", protocol: "ESMTPS" },
        authentication: {
          authorDomain: "sender.example",
          spf: "pass",
          dmarc: { verdict: "pass", policy: "reject" },
          arc: "none",
          results: "spf=pass smtp.mailfrom=sender.example",
        },
        alignment: { spf: true, signatures: [], complete: true },
        recipients: [recipient],
      }),
    );
    // A copy that is sent at once asks the store nothing.
    valueOf(await plane.forwardCopies());
    await plane.finishForwarding();
    const [, counted] = await costOf(plane.countOutcomes);
    const [, logged] = await costOf(plane.logMessages);
    return [found, kept, counted, logged];
  };
  const messages = [await forwardOne(), await forwardOne()];
  store.close();
  await meter.close();
  return messages;
};

const shown = (units: number): string => (units === 0 ? "" : String(units));

/** The document with what was measured on this DynamoDB Local. */
export const withMailCosts = async (document: string, dynamo: DynamoDb): Promise<string> => {
  if (!TABLE.test(document)) throw new Error("The document has no markers of the costs of mail");
  const [first = [], next = []] = await measure(dynamo);
  const sum = (units: readonly Units[]): Units => ({
    read: units.reduce((all, { read }) => all + read, 0),
    write: units.reduce((all, { write }) => all + write, 0),
  });
  const cells = (units: Units | undefined) => [shown(units?.read ?? 0), shown(units?.write ?? 0)];
  const rows = [
    ...STEPS.map((what, n) => [what, ...cells(next[n]), ...cells(first[n])]),
    ["in all", ...cells(sum(next)), ...cells(sum(first))],
  ];
  const price = ({ read, write }: Units) =>
    (read * usd.aMillionReadUnits + write * usd.aMillionWriteUnits).toFixed(2);
  const table = markdownTable(
    ["", "known sender: read", "write", "first message: read", "write"],
    [...rows, ["US$ for a million", price(sum(next)), "", price(sum(first)), ""]],
  );
  return document.replace(TABLE, () => table);
};
