import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { verifySpool } from "@postern/adapter-sqlite";
import { ok } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { BodyGone, Copy } from "@postern/mail";
import {
  contentOf,
  forward,
  keepOne,
  mailingOf,
  NOW,
  readBody,
  receive,
} from "@postern/test-support/spool-mail";
import { expect, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { databaseIn, newPath, openSpool, raw } from "./support/open-spools.ts";

// Each test starts several threads, which takes seconds on a busy machine.

const TIMEOUT_MS = 60_000;

/** Overwrites the first page of a table or index of the spool, which is closed. */
const overwrite = (path: string, name: string): void => {
  const db = new DatabaseSync(databaseIn(path));
  const root = Number(
    db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.["rootpage"],
  );
  const size = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
  db.close();
  const content = readFileSync(databaseIn(path));
  content.fill(0xff, (root - 1) * size, root * size);
  writeFileSync(databaseIn(path), content);
};

test.each(["messages", "copies", "queue_of_an_account", "bodies"])(
  "damage of %s is found, and named without content",
  async (name) => {
    const path = newPath();
    expect(await verifySpool(path, TIMEOUT_MS)).toEqual(ok("intact"));
    const spool = await openSpool(path);
    await keepOne(spool);
    expect(await verifySpool(path, TIMEOUT_MS)).toEqual(ok("intact"));
    await spool.close();
    overwrite(path, name);
    const { code, cause } = failureOf(await verifySpool(path, TIMEOUT_MS));
    expect(code).toBe("damaged");
    expect(cause.reason).not.toContain("@");
  },
);

test("an index that lacks a row is damage", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  await keepOne(spool);
  /** Changes the schema without what SQLite would do for that. */
  const alter = (sql: string, ...values: SQLInputValue[]) => {
    using db = new DatabaseSync(databaseIn(path));
    if ("enableDefensive" in db) db.enableDefensive(false);
    db.exec("PRAGMA writable_schema = ON");
    return db.prepare(sql).get(...values);
  };
  await spool.close();
  const index = alter("DELETE FROM sqlite_schema WHERE name = 'queue_by_time' RETURNING *") ?? {};
  raw(path).exec("UPDATE copies SET next_at = next_at + 1");
  alter("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?) RETURNING 1", ...Object.values(index));
  expect(failureOf(await verifySpool(path, TIMEOUT_MS)).code).toBe("damaged");
  const commands = block("docs/mail.md", "A damaged spool").replaceAll("/var/lib/postern/spool", path);
  expect(spawnSync("sh", ["-ec", commands], { encoding: "utf8" })).toMatchObject({
    stdout: "ok\n",
    stderr: "",
  });
  expect(await verifySpool(path, TIMEOUT_MS)).toEqual(ok("intact"));
});

test("a call fails with the code of SQLite if the data that it needs is damaged", async () => {
  const path = newPath();
  const first = await openSpool(path);
  const copy = await keepOne(first, { size: 100_000 });
  await first.close();
  overwrite(path, "messages");
  const spool = await openSpool(path);
  expect(await spool.find(copy)).toMatchObject({
    error: {
      code: "unavailable",
      cause: { source: "sqlite", reason: expect.stringContaining("SQLITE_CORRUPT") },
    },
  });
});

test.each([
  ["copy", "copies", "UPDATE copies SET mailbox = 'nobody' WHERE id = ?"],
  [
    "message",
    "messages",
    "UPDATE messages SET facts = '{}' WHERE id = (SELECT message FROM copies WHERE id = ?)",
  ],
])(
  "a %s that does not parse makes the calls on it unavailable, and holds up nothing else",
  async (_, table, damage) => {
    const path = newPath();
    const spool = await openSpool(path);
    const [damaged, intact] = [await keepOne(spool), await keepOne(spool)];
    const other = await keepOne(spool, { account: "other" });
    raw(path).prepare(damage).run(damaged);
    expect(await spool.find(damaged)).toMatchObject({
      error: {
        code: "unavailable",
        cause: { source: "sqlite", reason: `a row of ${table} does not parse` },
      },
    });
    expect(valueOf(await spool.find(intact))?.copy.id).toBe(intact);
    for (let passes = 0; passes < 2; passes += 1) {
      const { copies, more } = valueOf(await spool.take(NOW, 10, []));
      expect(copies.map(({ copy }) => copy.id).toSorted()).toEqual(
        passes === 0 ? [intact, other].toSorted() : [],
      );
      expect(more).toBe(false);
    }
    const unlogged = valueOf(await spool.unlogged(2));
    expect(unlogged.map(({ copies }) => copies[0].id)).toEqual([intact, other]);
  },
);

test("the outcome of a copy that does not parse holds up no others", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const [damaged, intact] = [await keepOne(spool), await keepOne(spool)];
  for (const copy of [damaged, intact]) valueOf(await spool.report(copy, "bounced", NOW, null, null));
  raw(path).prepare("UPDATE copies SET mailbox = 'nobody' WHERE id = ?").run(damaged);
  const uncounted = valueOf(await spool.uncounted(1));
  expect(uncounted.map(({ event }) => event)).toEqual([Copy.outcome(intact, "bounced", NOW)]);
});

test("a body whose file cannot be deleted is forgotten anyway, and so are others", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const dropped = [await keepOne(spool, { size: 300_000 }), await keepOne(spool, { size: 300_000 })];
  const bodies = join(path, "bodies");
  const [stays = ""] = readdirSync(bodies);
  rmSync(join(bodies, stays));
  mkdirSync(join(bodies, stays));
  for (const copy of dropped) valueOf(await spool.drop(copy, NOW));
  expect(valueOf(await spool.sweep(NOW))).toBe(false);
  expect(valueOf(await spool.size()).bytes).toBe(0);
  expect(readdirSync(bodies)).toEqual([stays]);
  await spool.close();
  await openSpool(path);
});

test("a finished message with a copy that does not parse can be evicted and swept", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const copy = await keepOne(spool, { size: 6_000_000 });
  const after = { attempts: 1, nextAt: NOW, reason: null, at: NOW, outcomes: [] };
  valueOf(await spool.settle(copy, { ...after, state: "failed" }, null));
  raw(path).prepare("UPDATE copies SET mailbox = 'nobody' WHERE id = ?").run(copy);
  await keepOne(spool, { size: 5_000_000 });
  expect(valueOf(await spool.size()).bytes).toBeLessThan(6_000_000);
  expect(valueOf(await spool.sweep(NOW))).toBe(false);
});

test("copies of a message that does not parse do not take the places of others", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const many = mailingOf(
    await receive(spool, contentOf(1, 10)),
    Array.from({ length: 10 }, () => forward("account")),
  );
  valueOf(await spool.keep(many));
  const intact = await keepOne(spool);
  raw(path).prepare("UPDATE messages SET facts = '{}' WHERE id = ?").run(many.message.id);
  const { copies, more } = valueOf(await spool.take(NOW, 1, []));
  expect([copies.map(({ copy }) => copy.id), more]).toEqual([[intact], false]);
});

test("a body is gone if its file is, or is shorter than it was, but not if the directory was moved", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  for (let n = 0; n < 2; n += 1) await keepOne(spool, { size: 300_000 });
  const taken = valueOf(await spool.take(NOW, 2, [])).copies.map(({ body }) => body);
  expect(taken).toHaveLength(2);
  const bodies = join(path, "bodies");
  renameSync(bodies, join(path, "moved"));
  for (const body of taken)
    await expect(readBody(body)).rejects.toSatisfy((error) => !(error instanceof BodyGone));
  renameSync(join(path, "moved"), bodies);
  for (const body of taken) expect(await readBody(body)).toHaveLength(300_000);
  for (const file of readdirSync(bodies)) truncateSync(join(bodies, file), 299_999);
  for (const body of taken) await expect(readBody(body)).rejects.toBeInstanceOf(BodyGone);
  for (const file of readdirSync(bodies)) rmSync(join(bodies, file));
  for (const body of taken) await expect(readBody(body)).rejects.toBeInstanceOf(BodyGone);
});
