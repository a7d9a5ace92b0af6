import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { valueOf } from "@postern/core/testing";
import { contentOf, NOW, noticeOf } from "@postern/test-support/spool-mail";
import { expect, onTestFinished, test } from "vitest";
import { flushedApart } from "../src/file/durability.ts";
import { answerCalls } from "../src/spool/answer-calls.ts";
import { bodiesIn, bodyRemoval } from "../src/spool/body-files.ts";
import type { Reply, Request } from "../src/spool/calls.ts";
import { openSpool } from "../src/spool/open-spool.ts";
import { operations } from "../src/spool/operations.ts";
import { newPath } from "./support/open-spools.ts";

/* What the spool does while a flush lasts, and after one that failed. */

const deadline = Number.POSITIVE_INFINITY;

/** A new spool whose flushes end when they are told to. Calls are answered in this thread. */
const spoolWithFlushes = () => {
  const path = newPath();
  const opened = valueOf(openSpool(path, false));
  onTestFinished(opened.close);
  const { db } = opened;
  const flushes: ((error: Error | null) => void)[] = [];
  const durability = flushedApart(
    { flush: (ended) => flushes.push(ended), shorten: () => {}, close: () => {} },
    () => true,
  );
  const replies: Reply[] = [];
  const answer = answerCalls(
    { db, durability, isInPlace: () => true },
    operations(db, bodyRemoval(path)),
    (reply) => replies.push(reply),
  );
  return {
    path,
    answer: (...calls: readonly Request[]) => answer(calls),
    endFlush: (error: Error | null = null) => flushes.shift()?.(error),
    endAll: () => {
      while (flushes.length > 0) flushes.shift()?.(null);
    },
    /** The replies since the last time. */
    replies: () => replies.splice(0),
  };
};

const stored = (content: Uint8Array) => ({ size: content.length, content });

const take = (id: number): Request => ({ id, deadline, name: "take", args: [NOW, 10, []] });

const keepOne = () => {
  const content = contentOf(1, 10);
  const { message, copies } = noticeOf(content);
  const keep: Request = {
    id: 1,
    deadline,
    name: "keep",
    args: [{ message, copies, body: stored(content) }],
  };
  return { keep, copy: copies[0].id };
};

const handedOut = (...copies: readonly string[]) => ({
  copies: copies.map((id) => expect.objectContaining({ copy: expect.objectContaining({ id }) })),
  more: false,
});

test("calls are answered once what they have written, or read, is on the disk", () => {
  const { answer, endFlush, replies } = spoolWithFlushes();
  const { keep, copy } = keepOne();
  answer(keep, { id: 2, deadline, name: "find", args: [copy] });
  answer(take(3));
  expect(replies()).toEqual([]);
  endFlush();
  expect(replies()).toMatchObject([
    { id: 1, value: "kept" },
    { id: 2, value: { copy: { id: copy } } },
  ]);
  endFlush();
  expect(replies()).toEqual([{ id: 3, value: handedOut(copy) }]);
});

test("a copy that is to be sent again is handed out, although that is not on the disk yet", () => {
  const { answer, endAll, replies } = spoolWithFlushes();
  const { keep, copy } = keepOne();
  answer(keep, take(2));
  endAll();
  replies();
  const deferred = {
    state: "queued",
    attempts: 1,
    nextAt: NOW,
    reason: null,
    at: NOW,
    outcomes: [],
  } as const;
  answer({ id: 3, deadline, name: "settle", args: [copy, deferred, null] });
  answer(take(4));
  endAll();
  expect(replies()).toEqual([
    { id: 3, value: undefined },
    { id: 4, value: handedOut(copy) },
  ]);
});

test("the file of a body that is forgotten is deleted once that is on the disk", () => {
  const { path, answer, endFlush } = spoolWithFlushes();
  const file = join(bodiesIn(path), "file");
  writeFileSync(file, "content");
  const { message, copies } = noticeOf(contentOf(1, 10));
  answer(
    { id: 1, deadline, name: "keep", args: [{ message, copies, body: { size: 10, file: "file" } }] },
    { id: 2, deadline, name: "drop", args: [copies[0].id, NOW] },
  );
  endFlush();
  answer({ id: 3, deadline, name: "sweep", args: [NOW, 1_000] });
  expect(existsSync(file)).toBe(true);
  endFlush();
  expect(existsSync(file)).toBe(false);
});

test("copies that were not handed out because a flush failed are handed out later", () => {
  const { answer, endFlush, replies } = spoolWithFlushes();
  const { keep, copy } = keepOne();
  answer(keep, take(2));
  const error = { code: "unavailable", cause: { source: "disk", reason: "EIO" } };
  endFlush(Object.assign(new Error("failed"), { code: "EIO" }));
  expect(replies()).toEqual([
    { id: 1, error },
    { id: 2, error },
  ]);
  answer(take(3));
  expect(replies()).toEqual([{ id: 3, value: handedOut(copy) }]);
});
