import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { valueOf } from "@postern/core/testing";
import { contentOf, forward, keepOne, mailingOf, NOW, receive } from "@postern/test-support/spool-mail";
import { until } from "@postern/test-support/until";
import { expect, onTestFinished, test, vi } from "vitest";
import { databaseIn, newPath, openSpool, raw } from "./support/open-spools.ts";

// Each test starts several threads, which takes seconds on a busy machine.

test("a body that is discarded while it is being kept is not kept, not even in part", async () => {
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

/** A spool with a copy. Its thread waits for another program, while calls have 100 ms. */
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

/** Keeps the replies of a spool's thread back until `deliver` is called. */
const holdReplies = (thread: unknown) => {
  if (!(thread instanceof Worker)) throw new Error("the spool has a thread");
  const held: unknown[] = [];
  const emit = thread.emit.bind(thread);
  const silent = vi.spyOn(thread, "emit").mockImplementation((event, ...args: unknown[]) => {
    if (event === "message") held.push(...args);
    return true;
  });
  const deliver = () => {
    silent.mockRestore();
    for (const message of held) emit("message", message);
  };
  return { held, deliver };
};

test("while a call waits too long for its reply, others are refused at once, and not queued for the thread", async () => {
  const { spool, copy, tool } = await lockedSpool();
  const post = vi.spyOn(Worker.prototype, "postMessage");
  const late = spool.drop(copy, 7);
  const thread = post.mock.contexts.at(-1);
  // However late this goes on, the thread has not replied.
  const { deliver } = holdReplies(thread);
  expect(await late).toMatchObject(LATE);
  post.mockClear();
  const refused = await Promise.all(Array.from({ length: 100 }, () => spool.find(copy)));
  for (const result of refused) expect(result).toMatchObject(LATE);
  // Spools of other files in this process have threads too.
  expect(post.mock.contexts).not.toContain(thread);
  deliver();
  tool.exec("ROLLBACK");
  const stateNow = async () => (await spool.find(copy)).map((found) => found?.copy.state).unwrapOr(null);
  await expect.poll(stateNow).toBe("queued");
});

test("copies that were handed out after the caller's deadline are handed out again", async () => {
  const path = newPath();
  const before = await openSpool(path);
  const copy = await keepOne(before);
  await before.close();
  const post = vi.spyOn(Worker.prototype, "postMessage");
  const spool = await openSpool(path);
  await spool.nextDue(0);
  const [worker] = post.mock.contexts;
  post.mockRestore();
  // The thread's replies arrive after the deadline.
  const { held, deliver } = holdReplies(worker);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const taken = spool.take(NOW, 1, []);
  // Unlike this, expect.poll lets time pass.
  await until("the thread has replied", () => held.length > 0);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await taken).toMatchObject({ error: { code: "unavailable" } });
  vi.useRealTimers();
  deliver();
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
])("if one of several calls %s, it alone is undone", async (_, body) => {
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
