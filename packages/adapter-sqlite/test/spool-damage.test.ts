import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { valueOf } from "@postern/core/testing";
import { Copy } from "@postern/mail";
import { expect, test } from "vitest";
import { databaseIn, newPath, openSpool, raw } from "./support/open-spools.ts";
import { contentOf, forward, keepOne, mailingOf, NOW, receive } from "./support/spool-mail.ts";

// Each test starts several threads, which takes seconds on a busy machine.

test("a call fails with the code of SQLite if the data that it needs is damaged", async () => {
  const path = newPath();
  const first = await openSpool(path);
  const copy = await keepOne(first, { size: 100_000 });
  await first.close();
  const db = new DatabaseSync(databaseIn(path));
  const root = Number(
    db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'").get()?.["rootpage"],
  );
  const size = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
  db.close();
  const content = readFileSync(databaseIn(path));
  content.fill(0xff, (root - 1) * size, root * size);
  writeFileSync(databaseIn(path), content);
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
