import { Alias, NO_LIMITS, parseEventId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "../../adapter-sqlite/test/support/samples.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const postgres = usePostgres();
const recipient = recipientNumber(0);
const [shop, news]: readonly [Alias, Alias] = [aliasNumber(0, [recipient]), aliasNumber(1, [recipient])];
const PAGE = { limit: 10, after: null };

let url: string;
let store: Awaited<ReturnType<typeof openStore>>;

beforeEach(async () => {
  url = await postgres().newDatabase();
  store = await openStore(url);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  for (const alias of [shop, news]) valueOf(await store.aliases.create(alias, NO_LIMITS));
  return () => store.close();
});

/** Changes a row while bypassing the triggers, as no program should. */
const damage = (text: string) => postgres().sql(`SET session_replication_role = replica; ${text}`, [], url);

const unavailable = (table: string) => ({
  code: "unavailable",
  cause: { source: "postgres", reason: `a row of ${table} does not parse` },
});

describe("a damaged alias is unavailable, but other aliases are not", () => {
  test.for([
    ["email = 'nobody'"],
    ["created_at = -1"],
    ["updated_at = 9007199254740993"],
    ["deleted_at = -1"],
    [`destinations = '[{"recipientId": "", "email": "me@home.example"}]'`],
    [`destinations = '[{"recipientId": "r", "email": "nobody"}]'`],
    [`destinations = '[7]'`],
  ])("%s", async ([assignment]) => {
    await damage(`UPDATE aliases SET ${assignment} WHERE id = '${shop.id}'`);
    expect(failureOf(await store.aliases.findWithRecipients(ACCOUNT, shop.id, []))).toEqual(
      unavailable("aliases"),
    );
    expect(failureOf(await store.aliases.findByEmail(shop.email))).toEqual(unavailable("aliases"));
    const deleted = assignment?.startsWith("deleted_at") === true;
    expect(failureOf(await store.aliases.list(ACCOUNT, PAGE, { deleted }))).toEqual(unavailable("aliases"));
    expect(await store.aliases.findByEmail(news.email)).toMatchObject({ value: Alias.state(news) });
  });

  test("a damaged tally", async () => {
    const event = { id: valueOf(parseEventId("1")), outcome: "sent", at: NOW } as const;
    valueOf(await store.aliases.recordOutcome(shop, event));
    await damage("UPDATE tallies SET last_at = -1");
    expect(failureOf(await store.aliases.findWithRecipients(ACCOUNT, shop.id, []))).toEqual(
      unavailable("aliases"),
    );
    expect(await store.aliases.findWithRecipients(ACCOUNT, news.id, [])).toMatchObject({
      value: { alias: news },
    });
    // Mail is still forwarded: it needs no tallies.
    expect(await store.aliases.findByEmail(shop.email)).toMatchObject({ value: { id: shop.id } });
  });
});

test("damaged rows of other tables are unavailable", async () => {
  await damage("UPDATE recipients SET email = 'nobody'");
  expect(failureOf(await store.recipients.find(ACCOUNT, recipient.id))).toEqual(unavailable("recipients"));
  expect(failureOf(await store.recipients.list(ACCOUNT, PAGE))).toEqual(unavailable("recipients"));

  await damage("INSERT INTO addresses (key) VALUES ('nobody')");
  expect(failureOf(await store.aliases.listRetiredAddresses(PAGE))).toEqual(unavailable("addresses"));

  await damage("INSERT INTO mail_ledger VALUES ('short', '{1}', NULL, NULL, 1)");
  expect(failureOf(await store.mailLedger.list(PAGE))).toEqual(unavailable("mail_ledger"));

  await damage("INSERT INTO suspensions VALUES ('account', -1)");
  expect(failureOf(await store.suspensions.find(ACCOUNT))).toEqual(unavailable("suspensions"));

  await damage("INSERT INTO suspensions VALUES ('bell' || chr(7), 1)");
  expect(failureOf(await store.accounts(PAGE))).toEqual(unavailable("account_usage"));
});
