import { parseCopyId, parseSpoolMark } from "@postern/core";
import { HANDED_REPORT_RETENTION, type HandedReport } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { BRIEF_FAULTS } from "./support/fault-proxy-faults.ts";
import { inTurn, on } from "./support/fault-proxy-plans.ts";
import { scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

const report: HandedReport = {
  spool: valueOf(parseSpoolMark("spoolone")),
  copy: valueOf(parseCopyId("c".repeat(26))),
  outcome: "bounced",
  onlyIfToAlias: true,
  reason: "mailbox_full",
  // DynamoDB Local deletes items that have expired by the clock of the machine.
  at: Date.now(),
};

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
});
afterEach(() => store.close());

const listed = async () => valueOf(await store.handedReports.list(report.spool, 100));

test("a report is one item in a partition of its spool, which expires after 7 days and belongs to no account", async () => {
  valueOf(await store.handedReports.handOver(report));
  const items = (await scan(documents(), table)).filter(({ pk }) => pk.includes(report.spool));
  expect(items).toMatchObject([{ expires: Math.ceil((report.at + HANDED_REPORT_RETENTION) / 1000) }]);
  expect(valueOf(await store.accounts({ limit: 10, after: null })).items).toEqual([]);
});

test.for(BRIEF_FAULTS)(
  "a report is kept and finished once if the first attempt meets this fault: %s",
  async (fault) => {
    const proxy = await faultProxy(dynamo().endpoint);
    const faulty = openStore(dynamo().client(proxy.endpoint), table);
    proxy.follow(on("PutItem", inTurn(fault)));
    valueOf(await faulty.handedReports.handOver(report));
    expect(await listed()).toEqual([report]);
    proxy.follow(on("TransactWriteItems", inTurn(fault)));
    valueOf(await faulty.handedReports.finish(report));
    expect(await listed()).toEqual([]);
    faulty.close();
    await proxy.close();
  },
);

test("a corrupt report is reported, and makes the list unavailable", async () => {
  const reported: string[] = [];
  const watching = openStore(dynamo().client(), table, { reported });
  valueOf(await store.handedReports.handOver(report));
  await setAttribute(documents(), table, Key.handedReport(report), "outcome", "delivered");
  expect(failureOf(await watching.handedReports.list(report.spool, 10)).code).toBe("unavailable");
  const { pk, sk } = Key.handedReport(report);
  expect(reported).toEqual([`${pk} ${sk}`]);
  watching.close();
});
