import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { valueOf } from "@postern/core/testing";
import { sharedPostgres } from "@postern/test-support/shared-postgres";
import { afterAll, expect, test } from "vitest";
import { atEnd } from "./support/at-end.ts";
import { deliveryReport } from "./support/delivery-report.ts";
import { addAliases, countsOf, NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

/* Two mail servers on one database: while the first one is down, the second one gets reports about what it has sent. */

const ALIAS = "shop@alias.example.com";
const MAILBOX = "ada@home.example";

const reportOf = (action: string, status: string) => deliveryReport(MAILBOX, action, status);

const relay = await startRelay();
const postgres = await sharedPostgres();
afterAll(() => postgres.dropDatabases());
const url = (await postgres.newDatabase()).replace("postgres@", "postgres:private-password@");
const store = valueOf(await postgresStore({ url: valueOf(parsePostgresUrl(url)), clock: Date }));
afterAll(() => store.close());
await addAliases(store, "alias.example.com", { [ALIAS]: [MAILBOX] });

const variablesOf = async (name: string) => ({
  ...(await newMailEnvironment()).variables,
  POSTERN_MX_NAME: name,
  POSTERN_RELAY_URL: relay.url,
  POSTERN_STORE: "postgres",
  POSTERN_POSTGRES_URL: url,
});
const firstVariables = await variablesOf("mx0.postern.test");
const [first, second] = await Promise.all([
  startServerProcess(firstVariables),
  startServerProcess(await variablesOf("mx1.postern.test")),
]);
afterAll(() => second.stop());
afterAll(() => first.kill());

test("a bounce that reaches the other server while the one that sent the copy is down is counted once that is back", async () => {
  expect(
    (await submit(first.mailPort(), { to: ALIAS, text: `From: bob@sender.test\r\nTo: ${ALIAS}\r\n\r\nHi` }))
      .reply,
  ).toMatch(/^250 /);
  await expect.poll(() => relay.taken.length).toBe(1);
  await expect.poll(() => countsOf(store, ALIAS)).toEqual({ ...NOTHING, sent: 1 });
  const to = relay.taken[0]?.from ?? expect.unreachable("the copy was sent");
  first.kill();
  await first.ended;

  const port = second.mailPort();
  const report = async (text: string, address = to): Promise<string> =>
    (await submit(port, { from: "", to: address, text })).reply;
  for (let times = 0; times < 2; times += 1) {
    expect(await report(reportOf("failed", "5.2.2"))).toMatch(/^250 2\.0\.0 /);
    expect(await report(reportOf("delivered", "2.0.0"), to.toUpperCase())).toMatch(/^250 2\.0\.0 /);
  }
  expect(await report(reportOf("delayed", "4.2.2"))).toMatch(/^250 2\.0\.0 /);
  const answer = "From: ada@home.example\r\nAuto-Submitted: auto-replied\r\nSubject: Away\r\n\r\nI am away.";
  expect(await report(answer)).toMatch(/^451 4\.3\.0 Another mail server of this domain /);
  expect(await report("From: mailer-daemon@home.example\r\nSubject: ?\r\n\r\n?")).toMatch(/^451 4\.3\.0 /);
  const forged = to.replace(/.@/, (last) => (last === "a@" ? "b@" : "a@"));
  for (const unknown of [forged, to.replace(/-[a-z2-7]+@/, "@")]) {
    expect(await report(reportOf("failed", "5.2.2"), unknown)).toMatch(/^550 5\.1\.1 /);
  }
  // The second server looks for reports of its own, and leaves these alone.
  expect(await postgres.sql("SELECT outcome, reason FROM handed_reports ORDER BY outcome", [], url)).toEqual([
    { outcome: "bounced", reason: "mailbox_full" },
    { outcome: "delivered", reason: null },
  ]);
  expect(await countsOf(store, ALIAS)).toEqual({ ...NOTHING, sent: 1 });

  const again = await startServerProcess(firstVariables);
  atEnd(again.stop);
  const counted = { ...NOTHING, sent: 1, delivered: 1, bounced: 1 };
  await expect.poll(() => countsOf(store, ALIAS)).toEqual(counted);
  await expect.poll(() => postgres.sql("SELECT 1 FROM handed_reports", [], url)).toEqual([]);
  // What it says itself is known by now.
  expect((await submit(again.mailPort(), { from: "", to, text: reportOf("failed", "5.2.2") })).reply).toMatch(
    /^250 /,
  );
  expect(await report(reportOf("failed", "5.2.2"))).toMatch(/^250 /);
  await expect
    .poll(() => postgres.sql("SELECT 1 FROM handed_reports", [], url), { timeout: 120_000 })
    .toEqual([]);
  expect(await countsOf(store, ALIAS)).toEqual(counted);
  expect((await submit(again.mailPort(), { from: "", to, text: answer })).reply).toMatch(/^550 5\.7\.1 /);
});
