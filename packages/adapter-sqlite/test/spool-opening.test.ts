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
import { sqliteSpool, sqliteStore } from "@postern/adapter-sqlite";
import { failureOf, valueOf } from "@postern/core/testing";
import {
  chunksOf,
  contentOf,
  forward,
  keepOne,
  mailingOf,
  NOW,
  readBody,
  receive,
} from "@postern/test-support/spool-mail";
import { until } from "@postern/test-support/until";
import { expect, test, vi } from "vitest";
import { schemaVersion } from "../src/file/schema.ts";
import { SPOOL } from "../src/spool/open-spool.ts";
import { startSpoolThread } from "../src/spool/spool-thread.ts";
import { databaseIn, LIMIT, newPath, openSpool, raw } from "./support/open-spools.ts";

// Each test starts several threads, which takes seconds on a busy machine.

const refusal = async (path: string, alongside = false) =>
  failureOf(await sqliteSpool({ path, limit: LIMIT, alongside }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a new spool has the latest schema, a write-ahead log, and files for its owner only", async () => {
  const path = newPath();
  const spool = await openSpool(path);
  await keepOne(spool, { size: 300_000 });
  expect(schemaVersion(raw(path), SPOOL)).toBe(SPOOL.migrations.length);
  expect(SPOOL.migrations.map(({ version }) => version)).toEqual(SPOOL.migrations.map((_, n) => n + 1));
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

test("deleted content does not remain in the database", async () => {
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
  const opened = await until("it can be opened", async () =>
    (await sqliteSpool({ path: directory, limit: LIMIT })).unwrapOr(null),
  );
  await opened.close();
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

test("opening a spool alongside creates nothing", async () => {
  const path = newPath();
  expect((await refusal(path, true)).code).toBe("missing");
  expect(existsSync(path)).toBe(false);
  mkdirSync(path);
  writeFileSync(databaseIn(path), "");
  expect((await refusal(path, true)).code).toBe("missing");
  expect(readdirSync(path)).toEqual(["spool.db"]);
});

test("files that are not spools or are of a newer version are refused by name, and left unchanged", async () => {
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
  raw(newer).exec(`PRAGMA user_version = ${SPOOL.migrations.length + 1}`);
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

/** Replaces what is at the path with a copy of it, as restoring a backup does. */
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
  "if %s, nothing new is accepted, and what was stored is still handed out and can be dropped",
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

test("a directory that was moved away and back can be used again, and none is created in its place until then", async () => {
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

test("a closed spool makes every call unavailable, releases its directory, and can be closed again", async () => {
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
