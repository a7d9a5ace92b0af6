import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { type SqliteSpool, sqliteSpool, sqliteStore } from "@postern/adapter-sqlite";
import { Copy } from "@postern/core/mail";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { schemaVersion } from "../src/migrations.ts";
import { bodyRemoval } from "../src/spool/body-files.ts";
import type { Request } from "../src/spool/calls.ts";
import { LOG_SIZE, roomFor } from "../src/spool/disk-room.ts";
import { groupCommit } from "../src/spool/group-commit.ts";
import {
  openSpool as openSpoolFile,
  SPOOL_APPLICATION_ID,
  spoolMigrations,
} from "../src/spool/open-spool.ts";
import { operations } from "../src/spool/operations.ts";
import { startSpoolThread } from "../src/spool/spool-thread.ts";
import { newDirectory } from "./support/spool.ts";
import {
  chunksOf,
  contentOf,
  forward,
  keepOne,
  mailingOf,
  NOW,
  noticeOf,
  readBody,
  receive,
} from "./support/spool-mail.ts";

// Each test starts several threads, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const LIMIT = 10_000_000;

const newPath = () => {
  const directory = newDirectory();
  onTestFinished(directory.remove);
  return directory.file("spool");
};

const openSpool = async (
  path: string,
  options: { alongside?: boolean; timeoutMs?: number; onEnded?: (error: unknown) => void } = {},
): Promise<SqliteSpool> => {
  const spool = valueOf(await sqliteSpool({ path, limit: LIMIT, ...options }));
  onTestFinished(() => spool.close());
  return spool;
};

const refusal = async (path: string, alongside = false) =>
  failureOf(await sqliteSpool({ path, limit: LIMIT, alongside }));

const databaseIn = (path: string) => join(path, "spool.db");

const raw = (path: string): DatabaseSync => {
  const db = new DatabaseSync(databaseIn(path));
  onTestFinished(() => db[Symbol.dispose]());
  return db;
};

/** A new spool whose calls are answered in this thread. */
const answering = () => {
  const path = newPath();
  const opened = valueOf(openSpoolFile(path, false));
  onTestFinished(opened.close);
  const { db } = opened;
  return { db, answer: groupCommit(db, operations(db, bodyRemoval(path)), () => true) };
};

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a new spool has the latest schema, a write-ahead log, and files for its owner only", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  await keepOne(spool, { size: 300_000 });
  expect(schemaVersion(raw(path), SPOOL_APPLICATION_ID)).toBe(spoolMigrations.length);
  expect(spoolMigrations.map(({ version }) => version)).toEqual(spoolMigrations.map((_, n) => n + 1));
  expect(raw(path).prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  const [body = ""] = readdirSync(join(path, "bodies"));
  expect([path, join(path, "bodies")].map(modeOf)).toEqual(["700", "700"]);
  for (const file of [databaseIn(path), `${databaseIn(path)}-wal`, join(path, "bodies", body)])
    expect(modeOf(file)).toBe("600");
});

test("bodies of up to 256 KiB are in the database, larger ones in files", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  for (const size of [0, 256 * 1024]) await keepOne(spool, { size });
  expect(readdirSync(join(path, "bodies"))).toEqual([]);
  await keepOne(spool, { size: 256 * 1024 + 1 });
  expect(readdirSync(join(path, "bodies"))).toHaveLength(1);
});

test("files of bodies that were never kept are deleted at the next start, and no others", async () => {
  const path = newPath();
  const first = await openSpool(path);
  await keepOne(first, { size: 300_000 });
  await receive(first, contentOf(2, 400_000));
  expect(readdirSync(join(path, "bodies"))).toHaveLength(2);
  await first.close();
  const second = await openSpool(path);
  expect(readdirSync(join(path, "bodies"))).toHaveLength(1);
  const [due] = valueOf(await second.take(NOW, 1, [])).copies;
  expect(due && (await readBody(due.body)).length).toBe(300_000);
});

test("the file of a body that is discarded or swept is deleted", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  await (await receive(spool, contentOf(2, 400_000))).discard();
  expect(readdirSync(join(path, "bodies"))).toEqual([]);
  const copy = await keepOne(spool, { size: 300_000 });
  valueOf(await spool.drop(copy, 7));
  valueOf(await spool.sweep(NOW));
  expect(readdirSync(join(path, "bodies"))).toEqual([]);
});

test("what is deleted does not stay in the database", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const secret = Buffer.from("the content of a message that was sent");
  const mailing = mailingOf(await receive(spool, secret), [forward("account")]);
  valueOf(await spool.keep(mailing));
  valueOf(await spool.drop(mailing.copies[0].id, 7));
  valueOf(await spool.sweep(NOW));
  await spool.close();
  expect(existsSync(`${databaseIn(path)}-wal`)).toBe(false);
  expect(readFileSync(databaseIn(path)).includes(secret)).toBe(false);
});

test("a second spool in the same process is refused; one alongside sees the same queue, and what it drops stays dropped", async () => {
  const path = newPath();
  const server = await openSpool(path);
  expect(await refusal(path)).toEqual({
    code: "in_use",
    message: `${databaseIn(path)} is in use by another spool or program; only one spool can have it open`,
  });
  const command = await openSpool(path, { alongside: true });
  const [dropped, retried] = [await keepOne(server), await keepOne(server)];
  expect(
    valueOf(await command.list({ limit: 10, after: null }))
      .items.map(({ id }) => id)
      .sort(),
  ).toEqual([dropped, retried].sort());
  expect(valueOf(await command.drop(dropped, 7))).toBe("dropped");
  expect(valueOf(await command.retry(retried, NOW - 5))).toBe("queued");
  expect(valueOf(await server.nextDue(0))).toBe(NOW - 5);
  expect(valueOf(await server.take(NOW, 10, [])).copies.map(({ copy }) => copy.id)).toEqual([retried]);
  // Due much later, as far as the server knows.
  const deferred = {
    state: "queued",
    attempts: 1,
    nextAt: NOW + 1_000,
    at: NOW,
    reason: "other",
    outcomes: [],
  } as const;
  valueOf(await server.settle(retried, deferred, null));
  expect(valueOf(await server.take(NOW, 10, [])).copies).toEqual([]);
  expect(valueOf(await command.retry(retried, NOW))).toBe("queued");
  expect(valueOf(await server.take(NOW, 10, [])).copies.map(({ copy }) => copy.id)).toEqual([retried]);
  // A body that only the server knows survives a command that opens and closes the spool.
  const body = await receive(server, contentOf(1, 300_000));
  await command.close();
  expect((await readBody(body)).length).toBe(300_000);
});

test("a spool that is not opened in time is reported, and does not stay open", async () => {
  const directory = newPath();
  const times = { timeoutMs: 10_000, openTimeoutMs: 0 };
  expect(failureOf(await startSpoolThread({ directory, alongside: false, ...times }))).toEqual({
    code: "cannot_open",
    message: `${directory} cannot be opened: the disk does not respond`,
  });
  await vi.waitFor(async () => valueOf(await sqliteSpool({ path: directory, limit: LIMIT })).close(), {
    timeout: 60_000,
  });
});

test.runIf(process.platform === "linux")(
  "a directory that the system does not let anybody create is refused",
  async () => {
    expect(await refusal("/proc/postern/spool")).toEqual({
      code: "cannot_open",
      message: expect.stringMatching(/^\/proc\/postern\/spool\/spool\.db cannot be opened: ENOENT/),
    });
  },
);

test("nothing is created or migrated alongside", async () => {
  const path = newPath();
  expect((await refusal(path, true)).code).toBe("missing");
  expect(existsSync(path)).toBe(false);
  mkdirSync(path);
  writeFileSync(databaseIn(path), "");
  expect((await refusal(path, true)).code).toBe("missing");
  expect(readdirSync(path)).toEqual(["spool.db"]);
});

test("files of other programs, of newer versions and damaged ones are refused by name, and left unchanged", async () => {
  const path = newPath();
  const database = databaseIn(path);
  mkdirSync(path);
  writeFileSync(database, "not a database, but long enough to have the header of one".repeat(20));
  const before = readFileSync(database);
  expect(await refusal(path)).toEqual({
    code: "not_a_store",
    message: `${database} is not a Postern database`,
  });
  expect(readFileSync(database)).toEqual(before);

  const other = newPath();
  mkdirSync(other);
  valueOf(sqliteStore({ path: databaseIn(other), clock: { now: () => 0 } })).close();
  expect((await refusal(other)).code).toBe("not_a_store");

  const newer = newPath();
  await (await openSpool(newer)).close();
  raw(newer).exec(`PRAGMA user_version = ${spoolMigrations.length + 1}`);
  expect(await refusal(newer)).toMatchObject({
    code: "newer_version",
    message: expect.stringContaining(databaseIn(newer)),
  });

  const file = newPath();
  writeFileSync(file, "");
  expect(await refusal(file)).toMatchObject({
    code: "cannot_open",
    message: expect.stringContaining(databaseIn(file)),
  });
});

test("what SQLite finds damaged is the cause of the calls that need it", async () => {
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

test("an outcome of a copy that does not parse holds up no other one", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const [damaged, intact] = [await keepOne(spool), await keepOne(spool)];
  for (const copy of [damaged, intact]) valueOf(await spool.report(copy, "bounced", NOW, null, null));
  raw(path).prepare("UPDATE copies SET mailbox = 'nobody' WHERE id = ?").run(damaged);
  const uncounted = valueOf(await spool.uncounted(1));
  expect(uncounted.map(({ event }) => event)).toEqual([Copy.outcome(intact, "bounced", NOW)]);
});

test("a body whose file cannot be deleted is forgotten nevertheless, and so are others", async () => {
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

test("where files are lacking, bodies in the database are not evicted", () => {
  const { db, answer } = answering();
  const deadline = Number.POSITIVE_INFINITY;
  const content = contentOf(1, 10);
  for (const body of [stored(content), { size: 10, file: "file" }]) {
    const { message, copies } = noticeOf(content);
    answer([{ id: 1, deadline, name: "keep", args: [{ message, copies, body }] }]);
    answer([{ id: 1, deadline, name: "drop", args: [copies[0].id, NOW] }]);
  }
  const left = () => db.prepare("SELECT file FROM bodies").all();
  const evict = (from: "files" | "anywhere") => answer([{ id: 1, deadline, name: "evict", args: [1, from] }]);
  expect(evict("files")).toEqual([{ id: 1, value: expect.any(Number) }]);
  expect(left()).toEqual([{ file: null }]);
  expect(evict("files")).toEqual([{ id: 1, value: 0 }]);
  evict("anywhere");
  expect(left()).toEqual([]);
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

test("a body that is discarded while it is to be kept is kept as a whole, or not at all", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const body = await receive(spool, contentOf(1, 300_000));
  const keeping = spool.keep(mailingOf(body, [forward("account")]));
  await body.discard();
  expect(await keeping).toMatchObject({ error: { code: "unavailable" } });
  expect(valueOf(await spool.take(NOW, 1, [])).copies).toEqual([]);
  expect(valueOf(await spool.size()).bytes).toBe(0);
});

test("while another program writes, calls that write are unavailable, and then succeed again", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const copy = await keepOne(spool);
  const tool = raw(path);
  tool.exec("BEGIN IMMEDIATE");
  expect(await spool.drop(copy, 7)).toMatchObject({
    error: { code: "unavailable", cause: { reason: "SQLITE_BUSY" } },
  });
  expect(valueOf(await spool.find(copy))?.copy.state).toBe("queued");
  tool.exec("ROLLBACK");
  expect(valueOf(await spool.drop(copy, 7))).toBe("dropped");
});

/** A spool with a copy, whose thread waits for another program while calls have 100 ms. */
const lockedSpool = async () => {
  const path = newPath();
  const before = await openSpool(path);
  const copy = await keepOne(before);
  await before.close();
  const spool = await openSpool(path, { timeoutMs: 100 });
  const tool = raw(path);
  tool.exec("BEGIN IMMEDIATE");
  return { path, spool, copy, tool };
};

const LATE = {
  error: { code: "unavailable", cause: { source: "sqlite", reason: "no turn before the deadline" } },
};

test("a call that gets no reply before its deadline is unavailable, and is not carried out later", async () => {
  const { path, spool, copy, tool } = await lockedSpool();
  const results = await Promise.all([spool.drop(copy, 7), spool.retry(copy, 7)]);
  for (const result of results) expect(result).toMatchObject(LATE);
  tool.exec("ROLLBACK");
  await spool.close();
  const after = await openSpool(path);
  expect(valueOf(await after.find(copy))?.copy).toMatchObject({ state: "queued", nextAt: NOW });
});

test("while a call waits for its reply for too long, others are refused at once, and not kept for the thread", async () => {
  const { spool, copy, tool } = await lockedSpool();
  expect(await spool.drop(copy, 7)).toMatchObject(LATE);
  const post = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => void post.mockRestore());
  const refused = await Promise.all(Array.from({ length: 100 }, () => spool.find(copy)));
  for (const result of refused) expect(result).toMatchObject(LATE);
  expect(post).not.toHaveBeenCalled();
  tool.exec("ROLLBACK");
  await expect.poll(async () => (await spool.find(copy)).isOk(), { timeout: 60_000 }).toBe(true);
  expect(valueOf(await spool.find(copy))?.copy.state).toBe("queued");
});

test("copies that were handed out too late for anybody to hear are handed out again", async () => {
  const path = newPath();
  const before = await openSpool(path);
  const copy = await keepOne(before);
  await before.close();
  const post = vi.spyOn(Worker.prototype, "postMessage");
  const spool = await openSpool(path, { timeoutMs: 2_000 });
  await spool.nextDue(0);
  const [worker] = post.mock.contexts;
  post.mockRestore();
  if (!(worker instanceof Worker)) throw new Error("the spool has a thread");
  // What the thread replies arrives after the deadline.
  const held: unknown[] = [];
  const emit = worker.emit.bind(worker);
  const slow = vi.spyOn(worker, "emit").mockImplementation((event, ...args: unknown[]) => {
    if (event === "message") held.push(...args);
    return true;
  });
  expect(await spool.take(NOW, 1, [])).toMatchObject({ error: { code: "unavailable" } });
  slow.mockRestore();
  for (const message of held) emit("message", message);
  await expect
    .poll(
      async () =>
        (await spool.take(NOW, 1, [])).map(({ copies }) => copies.map((due) => due.copy.id)).unwrapOr([]),
      {
        timeout: 60_000,
      },
    )
    .toEqual([copy]);
});

test("calls that are made at the same time share a transaction", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  const bodies = await Promise.all(Array.from({ length: 60 }, () => receive(spool, contentOf(1, 10))));
  await Promise.all(bodies.map((body) => spool.keep(mailingOf(body, [forward("account")]))));
  const log = readFileSync(`${databaseIn(path)}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at < log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) commits += 1;
  expect(valueOf(await spool.size()).queued).toBe(60);
  expect(commits).toBeLessThan(30);
});

test.each([
  ["fails", "SELECT RAISE(ABORT, 'injected')"],
  ["ends the transaction", "SELECT RAISE(ROLLBACK, 'injected')"],
])("one call of several that %s is undone alone", async (_, body) => {
  const path = newPath();
  const spool = await openSpool(path);
  const mailings = await Promise.all(
    Array.from({ length: 20 }, async (_, n) =>
      mailingOf(await receive(spool, contentOf(n, 10)), [forward("account"), forward("account")]),
    ),
  );
  const failing = mailings[9];
  if (failing === undefined) throw new Error("there are 20");
  raw(path).exec(
    `CREATE TRIGGER injected BEFORE INSERT ON copies WHEN NEW.id = '${failing.copies[1]?.id}' BEGIN ${body}; END`,
  );
  const results = await Promise.all(mailings.map((mailing) => spool.keep(mailing)));
  expect(results.map((result) => result.isOk())).toEqual(mailings.map((_, n) => n !== 9));
  expect(results[9]).toMatchObject({ error: { code: "unavailable", cause: { source: "sqlite" } } });
  expect(valueOf(await spool.size()).queued).toBe(38);
  expect(valueOf(await spool.find(failing.copies[0].id))).toBeNull();
});

const stored = (content: Uint8Array) => ({ size: content.length, content });

test("of messages that are kept at the same time, those that do not fit on the disk are spool_full, and the others are kept", () => {
  const { db, answer } = answering();
  const pages = Number(db.prepare("PRAGMA page_count").get()?.["page_count"]);
  // SQLite fails in the same way, and with the same code, when the operating system says that the disk is full.
  db.exec(`PRAGMA max_page_count = ${pages + 20}`);
  const keep = (id: number, size: number): Request => {
    const body = { size, content: contentOf(id, size) };
    const { message, copies } = mailingOf(
      { ...body, read: () => chunksOf(body.content), discard: async () => {} },
      [forward("account")],
    );
    return { id, deadline: Number.POSITIVE_INFINITY, name: "keep", args: [{ message, copies, body }] };
  };
  expect(answer([keep(1, 1_000), keep(2, 200_000), keep(3, 1_000)])).toEqual([
    { id: 1, value: "kept" },
    { id: 2, failure: { full: true } },
    { id: 3, value: "kept" },
  ]);
  expect(db.prepare("SELECT count(*) AS n FROM messages").get()).toEqual({ n: 2 });
  db.exec(`PRAGMA max_page_count = ${pages + 1_000}`);
  expect(answer([keep(4, 200_000)])).toEqual([{ id: 4, value: "kept" }]);
});

test("a copy whose notice does not fit on the disk can still be put off", () => {
  const { db, answer } = answering();
  const small = contentOf(1, 10);
  const { message, copies } = noticeOf(small);
  const deadline = Number.POSITIVE_INFINITY;
  expect(
    answer([{ id: 1, deadline, name: "keep", args: [{ message, copies, body: stored(small) }] }]),
  ).toEqual([{ id: 1, value: "kept" }]);
  db.exec(`PRAGMA max_page_count = ${Number(db.prepare("PRAGMA page_count").get()?.["page_count"]) + 20}`);
  const large = contentOf(2, 200_000);
  const notice = { ...noticeOf(large), body: stored(large) };
  const after = { attempts: 1, nextAt: NOW, reason: null, at: NOW, outcomes: [] };
  const settle = (id: number, state: "failed" | "queued", ifNoneLeft: typeof notice | null): Request => ({
    id,
    deadline,
    name: "settle",
    args: [copies[0].id, { ...after, state }, ifNoneLeft],
  });
  expect(answer([settle(2, "failed", notice)])).toEqual([{ id: 2, failure: { full: true } }]);
  expect(answer([settle(3, "queued", null)])).toEqual([{ id: 3, value: undefined }]);
  const report = [copies[0].id, "bounced", NOW, null, notice] as const;
  expect(answer([{ id: 4, deadline, name: "report", args: [...report] }])).toEqual([
    { id: 4, failure: { full: true } },
  ]);
  expect(db.prepare("SELECT state FROM copies").all()).toEqual([{ state: "queued" }]);
});

test("room is made for a notice only if it is needed", () => {
  const { answer } = answering();
  const deadline = Number.POSITIVE_INFINITY;
  const content = contentOf(1, 10);
  const body = { size: 10, read: () => chunksOf(content), discard: async () => {} };
  const { message, copies } = mailingOf(body, [forward("account"), forward("account")]);
  const [first, second = first] = copies;
  answer([{ id: 1, deadline, name: "keep", args: [{ message, copies, body: stored(content) }] }]);
  const settle = ({ id }: Copy, state: "failed" | "sent"): Request => ({
    id: 2,
    deadline,
    name: "settle",
    args: [id, { attempts: 1, nextAt: NOW, reason: null, at: NOW, outcomes: [], state }, "no room yet"],
  });
  expect(answer([settle(first, "failed")])).toEqual([{ id: 2, value: undefined }]);
  expect(answer([settle(second, "failed")])).toEqual([{ id: 2, failure: { full: true } }]);
  expect(answer([settle(second, "sent")])).toEqual([{ id: 2, value: undefined }]);
});

/** Gives the path to a copy, as a backup that was restored in its place would. */
const replace = (path: string) => {
  renameSync(path, `${path}-moved`);
  cpSync(`${path}-moved`, path, { recursive: true });
};

test.each<[string, (path: string) => void]>([
  ["the directory is deleted", (path) => rmSync(path, { recursive: true })],
  ["the directory is replaced", replace],
  ["the database is deleted", (path) => rmSync(databaseIn(path))],
  ["the database is replaced", (path) => replace(databaseIn(path))],
  ["the log is deleted", (path) => rmSync(`${databaseIn(path)}-wal`)],
  ["the directory of bodies is replaced", (path) => replace(join(path, "bodies"))],
])(
  "if %s, nothing is promised any more, and what was stored is still handed out and settled",
  async (_, change) => {
    const path = newPath();
    const spool = await openSpool(path);
    const copy = await keepOne(spool);
    const received = await receive(spool, contentOf(2, 10));
    change(path);
    const unavailable = { error: { code: "unavailable", cause: expect.anything() } };
    expect(await spool.keep(mailingOf(received, [forward("account")]))).toMatchObject(unavailable);
    expect(await spool.report(copy, "bounced", NOW, null, null)).toMatchObject({
      error: {
        code: "unavailable",
        cause: { source: "sqlite", reason: "the file is no longer in its place" },
      },
    });
    expect(valueOf(await spool.take(NOW, 1, [])).copies.map((due) => due.copy.id)).toEqual([copy]);
    expect(valueOf(await spool.drop(copy, NOW))).toBe("dropped");
  },
);

test("a directory that was moved away and back can be used again, and meanwhile none is created in its place", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  renameSync(path, `${path}-moved`);
  expect(await spool.receive(chunksOf(contentOf(1, 300_000)))).toMatchObject({
    error: { code: "unavailable" },
  });
  expect(existsSync(path)).toBe(false);
  renameSync(`${path}-moved`, path);
  await keepOne(spool, { size: 300_000 });
});

test("however much is forgotten, the log takes up little of the disk", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  for (let n = 0; n < 35; n += 1) valueOf(await spool.drop(await keepOne(spool, { size: 256 * 1024 }), 7));
  let calls = 0;
  do calls += 1;
  while (valueOf(await spool.sweep(NOW)));
  expect(calls).toBeGreaterThan(1);
  expect(valueOf(await spool.size()).bytes).toBe(0);
  expect(statSync(`${databaseIn(path)}-wal`).size).toBeLessThanOrEqual(LOG_SIZE);
});

test("new mail leaves room for the log, and for what becomes of what is stored", () => {
  const MIB = 2 ** 20;
  const empty = { octets: 0, unused: 0, log: 0 };
  expect(roomFor("mail", 16 * MIB, empty).all).toBe(0);
  expect(roomFor("mail", 0, empty).all).toBeLessThan(0);
  // It is in the log and in the database for a while.
  expect(roomFor("mail", 18 * MIB, empty).all).toBe(MIB);
  expect(roomFor("mail", 18 * MIB, { ...empty, unused: MIB }).all).toBe(1.5 * MIB);
  expect(roomFor("mail", 18 * MIB, { ...empty, unused: 100 * MIB }).all).toBe(4 * MIB);
  expect(roomFor("mail", 14 * MIB, { ...empty, unused: 100 * MIB }).all).toBe(0);
  expect(roomFor("mail", 18 * MIB, { ...empty, octets: 4 * MIB }).all).toBe(0.5 * MIB);
  // The log itself is what room is left for.
  expect(roomFor("mail", 10 * MIB, { ...empty, log: 8 * MIB }).all).toBe(MIB);
  expect(roomFor("mail", 10 * MIB, { ...empty, log: 100 * MIB }).all).toBe(MIB);
  expect(roomFor("mail", Number.POSITIVE_INFINITY, empty).all).toBe(Number.POSITIVE_INFINITY);
  // What notices may use of it.
  expect(roomFor("notice", 16 * MIB, empty).all).toBe(MIB);
  expect(roomFor("notice", 14 * MIB, empty).all).toBe(0);
  expect(roomFor("notice", 14 * MIB, { ...empty, unused: 100 * MIB }).all).toBe(2 * MIB);
});

test("no copy is handed out before it has been possible to write", () => {
  const { db, answer } = answering();
  const take: Request = { id: 1, deadline: Number.POSITIVE_INFINITY, name: "take", args: [NOW, 1, []] };
  // Writing fails in another way than on a full disk, which cannot be made to fail at the first page.
  db.exec("PRAGMA query_only = ON");
  expect(answer([take])).toMatchObject([{ id: 1, failure: { full: false, cause: { source: "sqlite" } } }]);
  db.exec("PRAGMA query_only = OFF");
  expect(answer([take])).toEqual([{ id: 1, value: { copies: [], more: false } }]);
});

test("a thread that has ended is reported once, and by every call", async () => {
  const path = newPath();
  const post = vi.spyOn(Worker.prototype, "postMessage");
  const onEnded = vi.fn();
  const spool = await openSpool(path, { onEnded });
  const copy = await keepOne(spool);
  const [worker] = post.mock.contexts;
  post.mockRestore();
  if (!(worker instanceof Worker)) throw new Error("the spool has a thread");
  const tool = raw(path);
  tool.exec("BEGIN IMMEDIATE");
  const pending = spool.drop(copy, 7);
  await worker.terminate();
  const ended = {
    error: { code: "unavailable", cause: { source: "sqlite", reason: "the thread of the spool has ended" } },
  };
  expect(await pending).toMatchObject(ended);
  expect(await spool.find(copy)).toMatchObject(ended);
  expect(await spool.take(NOW, 1, [])).toMatchObject(ended);
  await spool.close();
  expect(onEnded.mock.calls).toEqual([[new Error("the thread of the spool has ended")]]);
});

test("a closed spool makes every call unavailable, lets go of its directory, and can be closed again", async () => {
  const path = newPath();
  const onEnded = vi.fn();
  const spool = await openSpool(path, { onEnded });
  const copy = await keepOne(spool);
  const pending = spool.drop(copy, 7);
  await spool.close();
  await spool.close();
  expect(onEnded).not.toHaveBeenCalled();
  expect(valueOf(await pending)).toBe("dropped");
  const closed = {
    error: { code: "unavailable", cause: { source: "sqlite", reason: "the spool is closed" } },
  };
  expect(await spool.find(copy)).toMatchObject(closed);
  expect(await spool.receive(chunksOf(contentOf(1, 300_000)))).toMatchObject(closed);
  expect(valueOf(await (await openSpool(path)).find(copy))?.copy.state).toBe("dropped");
});
