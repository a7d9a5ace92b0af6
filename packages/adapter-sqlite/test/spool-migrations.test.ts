import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { FAILED_BODY_RETENTION, parseAccountId, parseCopyId, parseMessageId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { forward, NOW } from "@postern/test-support/spool-mail";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../src/file/schema.ts";
import { SPOOL } from "../src/spool/open-spool.ts";
import { LIMIT, newPath } from "./support/open-spools.ts";

// Each test starts several threads, which takes seconds on a busy machine.

const idOf = (letter: string) => letter.repeat(26);

/** A spool of version 1 with one message for each state, whose only copy is in that state. */
const spoolOfVersion1 = (states: readonly string[]): string => {
  const path = newPath();
  mkdirSync(path);
  using db = new DatabaseSync(join(path, "spool.db"));
  migrate(db, { ...SPOOL, migrations: SPOOL.migrations.slice(0, 1) });
  for (const state of states) {
    const id = idOf(state.charAt(0));
    const facts = JSON.stringify({ origin: "own", id, createdAt: NOW, size: 8 });
    db.prepare("INSERT INTO messages VALUES (?, ?, ?, ?)").run(id, NOW, facts, Buffer.from("A: b\r\n"));
    db.prepare("INSERT INTO bodies VALUES (?, 0, 1000, ?, NULL)").run(id, Buffer.from(""));
    const purpose = JSON.stringify(forward("account"));
    db.prepare(`
      INSERT INTO copies (id, message, created_at, mailbox, purpose, account, alias, state, attempts, next_at)
      VALUES (?, ?, ?, 'me@home.example', ?, 'account', 'alias', 'queued', 1, ?)`).run(
      id,
      id,
      NOW,
      purpose,
      NOW + 5,
    );
    if (state !== "queued") db.prepare("UPDATE copies SET state = ? WHERE id = ?").run(state, id);
  }
  return path;
};

const open = async (path: string) => {
  const spool = valueOf(await sqliteSpool({ path, limit: LIMIT }));
  onTestFinished(() => spool.close());
  return spool;
};

test("copies from before there was a log count as logged until something happens to them", async () => {
  const path = spoolOfVersion1(["queued", "sent", "failed"]);
  {
    using db = new DatabaseSync(join(path, "spool.db"));
    db.prepare("INSERT INTO outcomes (id, copy, outcome, at, told) VALUES (?, ?, 'delivered', ?, 1)").run(
      `${idOf("s")}:delivered`,
      idOf("s"),
      NOW + 9,
    );
  }
  const spool = await open(path);
  const find = async (letter: string) => valueOf(await spool.find(valueOf(parseCopyId(idOf(letter)))))?.copy;
  const logged = { reason: null, deliveredAt: null };
  expect(await find("q")).toMatchObject({ ...logged, state: "queued", since: NOW });
  expect(await find("s")).toMatchObject({ ...logged, state: "sent", since: NOW + 5, deliveredAt: NOW + 9 });
  expect(await find("f")).toMatchObject({ ...logged, state: "failed", since: NOW + 5 });
  expect(valueOf(await spool.unlogged(10))).toEqual([]);

  valueOf(await spool.drop(valueOf(parseCopyId(idOf("q"))), NOW + 20));
  const purpose = forward("account");
  expect(valueOf(await spool.unlogged(10))).toEqual([
    {
      alias: purpose.kind === "forward" && purpose.alias,
      message: { origin: "own", id: idOf("q"), createdAt: NOW, header: "A: b\r\n", size: 8 },
      copies: [await find("q")],
      hasBody: true,
      revision: 1,
    },
  ]);
});

test("bodies of copies finished before are swept at once, and bodies of copies that fail later are kept for 7 days", async () => {
  const spool = await open(spoolOfVersion1(["queued", "failed"]));
  expect(valueOf(await spool.size()).bytes).toBe(2_000);
  valueOf(await spool.sweep(NOW + 5));
  expect(valueOf(await spool.size()).bytes).toBe(1_000);
  const failed = {
    state: "failed",
    attempts: 2,
    nextAt: NOW + 6,
    at: NOW + 6,
    reason: "other",
    outcomes: [],
  } as const;
  valueOf(await spool.settle(valueOf(parseCopyId(idOf("q"))), failed, null));
  valueOf(await spool.sweep(NOW + 5 + FAILED_BODY_RETENTION));
  expect(valueOf(await spool.size()).bytes).toBe(1_000);
  valueOf(await spool.sweep(NOW + 6 + FAILED_BODY_RETENTION));
  expect(valueOf(await spool.size()).bytes).toBe(0);
  expect(valueOf(await spool.findAll(valueOf(parseMessageId(idOf("q")))))).toMatchObject([
    { state: "failed" },
  ]);
});

test("what waits from before there were shares counts for its account", async () => {
  const path = spoolOfVersion1(["queued", "sent", "failed"]);
  const account = valueOf(parseAccountId("account"));
  const withLimit = async (limit: number) => {
    const spool = valueOf(await sqliteSpool({ path, limit }));
    const found = [await spool.hasRoom("account"), await spool.hasRoom("other"), await spool.largest()];
    await spool.close();
    return found.map(valueOf<unknown>);
  };
  // The message takes up 1,000 octets.
  expect(await withLimit(2_000)).toEqual([true, true, []]);
  expect(await withLimit(1_999)).toEqual([false, true, []]);
  expect(await withLimit(1_300)).toEqual([false, true, [account]]);
});

test("opening a spool alongside does not migrate it", async () => {
  const path = spoolOfVersion1(["queued"]);
  expect(failureOf(await sqliteSpool({ path, limit: LIMIT, alongside: true }))).toMatchObject({
    code: "older_version",
  });
  expect(valueOf(await (await open(path)).size()).queued).toBe(1);
});
