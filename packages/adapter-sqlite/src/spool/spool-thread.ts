import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import {
  type Cause,
  err,
  ok,
  type PortResult,
  type Result,
  type SpoolId,
  type Unavailable,
} from "@postern/core";
import type { SpoolFull } from "@postern/core/mail";
import { LATE } from "../cause.ts";
import type { OpenError } from "../open-error.ts";
import { type CallName, type Calls, monotonicNow, type Opened, type Replies, type Reply } from "./calls.ts";
import type { Usage } from "./disk-room.ts";

/** The thread runs from the source, or from what was built of it. */
const [BUILT, SOURCE] = [new URL("./worker.js", import.meta.url), new URL("./worker.ts", import.meta.url)];

/** More calls than this do not wait at the same time. */
const MAX_WAITING = 10_000;

/** Opening includes what a crash has left to SQLite, migrations, and deleting the files of bodies that were not kept. */
export const OPEN_TIMEOUT_MS = 60_000;

/** How long the thread may take to end, in milliseconds. It is stuck in the kernel if it takes longer. */
const END_TIMEOUT_MS = 1_000;

const CLOSED: Cause = { source: "sqlite", reason: "the spool is closed" };
const ENDED: Cause = { source: "sqlite", reason: "the thread of the spool has ended" };
const TOO_MANY: Cause = { source: "sqlite", reason: "too many calls wait" };

export type SpoolThread = {
  readonly id: SpoolId;
  /** Has the thread answer the call. `unavailable` if it does not before the deadline, or has ended. */
  call<Name extends CallName>(
    name: Name,
    ...args: Parameters<Calls[Name]>
  ): PortResult<ReturnType<Calls[Name]>, SpoolFull>;
  /** As of the last reply. */
  usage(): Usage;
  /**
   * Ends the thread once it has answered all calls, or the time of a call is over. Later ones are `unavailable`. Idempotent.
   */
  close(): Promise<void>;
};

/** Resolves once the thread has ended, or will not do so soon: nothing ends a thread that waits for a disk. */
const endThread = async (worker: Worker): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_TIMEOUT_MS);
  });
  const terminated = worker.terminate();
  // It keeps the process alive no longer than this.
  worker.unref();
  await Promise.race([terminated, late]);
  clearTimeout(timer);
};

type Waiting = { readonly settle: (reply: Reply) => void; readonly timer: ReturnType<typeof setTimeout> };

/** Starts the thread of the spool in a directory. `cannot_open` if it does not open the spool within `openTimeoutMs`. */
export const startSpoolThread = async ({
  timeoutMs,
  openTimeoutMs,
  ...workerData
}: {
  readonly directory: string;
  readonly alongside: boolean;
  readonly timeoutMs: number;
  readonly openTimeoutMs: number;
}): Promise<Result<SpoolThread, OpenError>> => {
  const worker = new Worker(existsSync(BUILT) ? BUILT : SOURCE, { workerData });
  const waiting = new Map<number, Waiting>();
  let stopped: Cause | null = null;
  let serial = 0;

  const stop = (cause: Cause) => {
    stopped ??= cause;
    for (const id of [...waiting.keys()]) answer({ id, failure: { full: false, cause: stopped } });
  };
  const answer = (reply: Reply) => {
    const call = waiting.get(reply.id);
    if (call === undefined) return;
    waiting.delete(reply.id);
    clearTimeout(call.timer);
    call.settle(reply);
  };

  let timer: ReturnType<typeof setTimeout> | undefined;
  const opened = await new Promise<Opened>((resolve) => {
    const cannotOpen = (reason: string) =>
      resolve({
        error: { code: "cannot_open", message: `${workerData.directory} cannot be opened: ${reason}` },
      });
    worker.once("message", resolve);
    worker.once("error", (error) => cannotOpen(error instanceof Error ? error.message : "unknown reason"));
    worker.once("exit", () => cannotOpen("its thread has ended"));
    timer = setTimeout(() => cannotOpen("the disk does not respond"), openTimeoutMs);
  });
  clearTimeout(timer);
  // From now on, what keeps the process alive is the deadline of each call.
  worker.unref();
  if ("error" in opened) {
    await endThread(worker);
    return err(opened.error);
  }
  const { id } = opened;
  let { usage } = opened;

  /** Calls of `take` that were given up. */
  const lateTakes = new Set<number>();
  const putBack = (reply: Reply) => {
    if (!("value" in reply)) return;
    // Sound because the reply is one to `take`.
    const taken = reply.value as ReturnType<Calls["take"]>;
    const args: Parameters<Calls["putBack"]> = [taken.copies.map(({ copy }) => copy.id)];
    serial += 1;
    // Nobody waits for the reply, but the copies must not be lost until the next start.
    worker.postMessage({ id: serial, name: "putBack", args, deadline: Number.POSITIVE_INFINITY });
  };

  worker.on("message", (message: Replies) => {
    ({ usage } = message);
    for (const reply of message.replies) {
      if (lateTakes.delete(reply.id)) putBack(reply);
      else answer(reply);
    }
  });
  worker.on("error", () => stop(ENDED));
  worker.on("exit", () => stop(ENDED));

  const post = <Name extends CallName>(name: Name, args: Parameters<Calls[Name]>) =>
    new Promise<Result<ReturnType<Calls[Name]>, Unavailable | SpoolFull>>((resolve) => {
      serial += 1;
      const id = serial;
      const settle = (reply: Reply) => {
        // Sound because the thread replies to each call with its own result.
        if ("value" in reply) resolve(ok(reply.value as ReturnType<Calls[Name]>));
        else if (reply.failure.full) resolve(err({ code: "spool_full" }));
        else resolve(err({ code: "unavailable", cause: reply.failure.cause }));
      };
      const late = () => {
        if (name === "take") lateTakes.add(id);
        answer({ id, failure: { full: false, cause: LATE } });
      };
      waiting.set(id, { settle, timer: setTimeout(late, timeoutMs) });
      worker.postMessage({ id, name, args, deadline: monotonicNow() + timeoutMs });
    });

  let closing: Promise<void> | null = null;
  return ok({
    id,
    call: async (name, ...args) => {
      if (stopped !== null) return err({ code: "unavailable", cause: stopped });
      if (waiting.size >= MAX_WAITING) return err({ code: "unavailable", cause: TOO_MANY });
      return post(name, args);
    },
    usage: () => usage,
    close: () => {
      closing ??= (async () => {
        if (stopped === null) {
          const closed = post("close", []);
          stopped = CLOSED;
          await closed;
        }
        await endThread(worker);
      })();
      return closing;
    },
  });
};
