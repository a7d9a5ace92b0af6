import { statSync } from "node:fs";
import { valueOf } from "@postern/core/testing";
import type { Copy } from "@postern/mail";
import {
  chunksOf,
  contentOf,
  forward,
  keepOne,
  mailingOf,
  NOW,
  noticeOf,
} from "@postern/test-support/spool-mail";
import { expect, onTestFinished, test } from "vitest";
import { nothingToFlush } from "../src/file/durability.ts";
import { answerCalls } from "../src/spool/answer-calls.ts";
import { bodyRemoval } from "../src/spool/body-files.ts";
import type { Reply, Request } from "../src/spool/calls.ts";
import { LOG_SIZE, roomFor } from "../src/spool/disk-room.ts";
import { openSpool as openSpoolFile } from "../src/spool/open-spool.ts";
import { operations } from "../src/spool/operations.ts";
import { databaseIn, newPath, openSpool } from "./support/open-spools.ts";

// Each test starts several threads, which takes seconds on a busy machine.

/** A new spool whose calls are answered in this thread. */
const answering = () => {
  const path = newPath();
  const opened = valueOf(openSpoolFile(path, false));
  onTestFinished(opened.close);
  const { db } = opened;
  // Nothing is flushed.
  const spool = { db, durability: nothingToFlush, isInPlace: () => true };
  let replies: Reply[] = [];
  const answerAll = answerCalls(spool, operations(db, bodyRemoval(path)), (reply) => replies.push(reply));
  const answer = (calls: readonly Request[]) => {
    replies = [];
    answerAll(calls);
    return replies;
  };
  return { db, answer };
};

const stored = (content: Uint8Array) => ({ size: content.length, content });

test("bodies in the database are not evicted to make room for files", () => {
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

test("if messages are kept at the same time, those that do not fit on the disk are spool_full, and the others are kept", () => {
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
    { id: 2, error: { code: "spool_full" } },
    { id: 3, value: "kept" },
  ]);
  expect(db.prepare("SELECT count(*) AS n FROM messages").get()).toEqual({ n: 2 });
  db.exec(`PRAGMA max_page_count = ${pages + 1_000}`);
  expect(answer([keep(4, 200_000)])).toEqual([{ id: 4, value: "kept" }]);
});

test("a copy whose notice does not fit on the disk can still be deferred", () => {
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
  expect(answer([settle(2, "failed", notice)])).toEqual([{ id: 2, error: { code: "spool_full" } }]);
  expect(answer([settle(3, "queued", null)])).toEqual([{ id: 3, value: undefined }]);
  const report = [copies[0].id, "bounced", NOW, null, notice] as const;
  expect(answer([{ id: 4, deadline, name: "report", args: [...report] }])).toEqual([
    { id: 4, error: { code: "spool_full" } },
  ]);
  expect(db.prepare("SELECT state FROM copies").all()).toEqual([{ state: "queued" }]);
});

test("room for a notice is made only if the notice is needed", () => {
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
  expect(answer([settle(second, "failed")])).toEqual([{ id: 2, error: { code: "spool_full" } }]);
  expect(answer([settle(second, "sent")])).toEqual([{ id: 2, value: undefined }]);
});

test("the log takes up little disk space, however much is forgotten", async () => {
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

test("new mail leaves room for the log, and for later changes to what is stored", () => {
  const MIB = 2 ** 20;
  const empty = { octets: 0, unused: 0, log: 0 };
  expect(roomFor("mail", 16 * MIB, empty).all).toBe(0);
  expect(roomFor("mail", 0, empty).all).toBeLessThan(0);
  // For a while, new mail is in both the log and the database.
  expect(roomFor("mail", 18 * MIB, empty).all).toBe(MIB);
  expect(roomFor("mail", 18 * MIB, { ...empty, unused: MIB }).all).toBe(1.5 * MIB);
  expect(roomFor("mail", 18 * MIB, { ...empty, unused: 100 * MIB }).all).toBe(4 * MIB);
  expect(roomFor("mail", 14 * MIB, { ...empty, unused: 100 * MIB }).all).toBe(0);
  expect(roomFor("mail", 18 * MIB, { ...empty, octets: 4 * MIB }).all).toBe(0.5 * MIB);
  // Room is left for the log, so the space that it already takes up counts.
  expect(roomFor("mail", 10 * MIB, { ...empty, log: 8 * MIB }).all).toBe(MIB);
  expect(roomFor("mail", 10 * MIB, { ...empty, log: 100 * MIB }).all).toBe(MIB);
  expect(roomFor("mail", Number.POSITIVE_INFINITY, empty).all).toBe(Number.POSITIVE_INFINITY);
  // The part of it that notices may use.
  expect(roomFor("notice", 16 * MIB, empty).all).toBe(MIB);
  expect(roomFor("notice", 14 * MIB, empty).all).toBe(0);
  expect(roomFor("notice", 14 * MIB, { ...empty, unused: 100 * MIB }).all).toBe(2 * MIB);
});

test("no copy is handed out until the database can be written", () => {
  const { db, answer } = answering();
  const take: Request = { id: 1, deadline: Number.POSITIVE_INFINITY, name: "take", args: [NOW, 1, []] };
  // Writing fails in another way than on a full disk, which cannot be made to fail at the first page.
  db.exec("PRAGMA query_only = ON");
  expect(answer([take])).toMatchObject([
    { id: 1, error: { code: "unavailable", cause: { source: "sqlite" } } },
  ]);
  db.exec("PRAGMA query_only = OFF");
  expect(answer([take])).toEqual([{ id: 1, value: { copies: [], more: false } }]);
});
