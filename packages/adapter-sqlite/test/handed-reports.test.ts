import { DatabaseSync } from "node:sqlite";
import { parseCopyId, parseSpoolMark } from "@postern/core";
import { HANDED_REPORT_RETENTION, type HandedReport } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { NOW } from "./support/samples.ts";

const spool = valueOf(parseSpoolMark("spoolone"));

const reportAt = (at: number, letter = "c"): HandedReport => ({
  spool,
  copy: valueOf(parseCopyId(letter.repeat(26))),
  outcome: "bounced",
  onlyIfToAlias: false,
  reason: "mailbox_full",
  at,
});

test("reports that no server has taken for 7 days are removed, faster than new ones are added", async () => {
  let now = NOW;
  const store = openStore(newPath(), () => now);
  for (const [n, letter] of [..."abcdefghij"].entries())
    valueOf(await store.handedReports.handOver(reportAt(NOW + n, letter)));
  now = NOW + HANDED_REPORT_RETENTION + 8;
  for (const letter of "xyz") valueOf(await store.handedReports.handOver(reportAt(now, letter)));
  const left = valueOf(await store.handedReports.list(spool, 100));
  expect(left.map(({ at }) => at).toSorted()).toEqual([NOW + 9, now, now, now]);
});

test("the reports for a spool, and old reports, are found with an index", () => {
  const path = newPath();
  openStore(path);
  using db = new DatabaseSync(path, { readOnly: true });
  const planOf = (query: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => String(detail));
  expect(planOf("SELECT * FROM handed_reports WHERE spool = 'x' LIMIT 1")).toEqual([
    expect.stringContaining("PRIMARY KEY (spool=?)"),
  ]);
  expect(planOf("SELECT copy FROM handed_reports WHERE at <= 1 ORDER BY at LIMIT 3")).toEqual([
    expect.stringContaining("handed_reports_by_age"),
  ]);
});

test("a report that does not parse is unavailable", async () => {
  const path = newPath();
  const store = openStore(path);
  valueOf(await store.handedReports.handOver(reportAt(NOW)));
  {
    using db = new DatabaseSync(path);
    db.exec("UPDATE handed_reports SET copy = 'short'");
  }
  expect(failureOf(await store.handedReports.list(spool, 1))).toMatchObject({
    code: "unavailable",
    cause: { reason: expect.stringContaining("handed_reports") },
  });
});
