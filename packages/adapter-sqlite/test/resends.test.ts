import { DatabaseSync } from "node:sqlite";
import { NO_LIMITS, parseMessageId } from "@postern/core";
import { RESEND_RETENTION, type Resend } from "@postern/core/store";
import { failureOf, testBody, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

const home = recipientNumber(0);
const alias = aliasNumber(0, [home]);
const { spool } = testBody(0);

const resendAt = (at: number, letter = "m"): Resend => ({
  spool,
  account: alias.account,
  alias: alias.id,
  message: valueOf(parseMessageId(letter.repeat(26))),
  at,
});

const openWithAlias = async (now = () => NOW) => {
  const path = newPath();
  const store = openStore(path, now);
  valueOf(await store.recipients.create(home, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  return { path, store };
};

test("requests that no server has taken for 7 days are removed, faster than new ones are added", async () => {
  let now = NOW;
  const { store } = await openWithAlias(() => now);
  const letters = [..."abcdefghij"];
  for (const [n, letter] of letters.entries())
    valueOf(await store.resends.request(resendAt(NOW + n, letter)));
  now = NOW + RESEND_RETENTION + 8;
  for (const letter of "xyz") valueOf(await store.resends.request(resendAt(now, letter)));
  const left = valueOf(await store.resends.list(spool, 100));
  expect(left.map(({ at }) => at).toSorted()).toEqual([NOW + 9, now, now, now]);
});

test("the requests of a spool, and old requests, are found with an index", async () => {
  const { path } = await openWithAlias();
  using db = new DatabaseSync(path, { readOnly: true });
  const planOf = (query: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => String(detail));
  expect(planOf("SELECT * FROM resends WHERE spool = 'x' LIMIT 1")).toEqual([
    expect.stringContaining("resends_of_a_spool"),
  ]);
  expect(planOf("SELECT spool FROM resends WHERE at <= 1 ORDER BY at LIMIT 3")).toEqual([
    expect.stringContaining("resends_by_age"),
  ]);
});

test("nothing is left of a request when its alias is erased", async () => {
  const { store } = await openWithAlias();
  valueOf(await store.resends.request(resendAt(NOW)));
  valueOf(await store.aliases.erase(alias));
  expect(valueOf(await store.resends.list(spool, 100))).toEqual([]);
  valueOf(await store.resends.request(resendAt(NOW)));
  expect(valueOf(await store.resends.list(spool, 100))).toEqual([]);
});

test("a request that does not parse is unavailable", async () => {
  const { path, store } = await openWithAlias();
  valueOf(await store.resends.request(resendAt(NOW)));
  {
    using db = new DatabaseSync(path);
    db.exec("UPDATE resends SET message = 'short'");
  }
  expect(failureOf(await store.resends.list(spool, 1))).toMatchObject({
    code: "unavailable",
    cause: { reason: expect.stringContaining("resends") },
  });
});
