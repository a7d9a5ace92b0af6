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
import type { SpoolFull } from "@postern/mail";
import { LATE } from "../file/cause.ts";
import type { OpenError } from "../file/open-error.ts";
import { type CallName, type Calls, monotonicNow, type Opened, type Replies, type Reply } from "./calls.ts";
import type { Usage } from "./disk-room.ts";

/** The thread runs from the source, or from its build output. */
const [BUILT, SOURCE] = [new URL("./worker.js", import.meta.url), new URL("./worker.ts", import.meta.url)];

/** The maximum number of unanswered calls. */
const MAX_UNANSWERED = 10_000;

/** Opening includes SQLite's recovery after a crash, migrations, and deleting the files of bodies that were not kept. */
export const OPEN_TIMEOUT_MS = 60_000;

/** How long the thread may take to end, in milliseconds. It is stuck in the kernel if it takes longer. */
const END_TIMEOUT_MS = 1_000;

export const CLOSED: Cause = { source: "sqlite", reason: "the spool is closed" };
const ENDED: Cause = { source: "sqlite", reason: "the thread of the spool has ended" };
const TOO_MANY: Cause = { source: "sqlite", reason: "too many calls are waiting" };

const unavailable = (cause: Cause): Unavailable => ({ code: "unavailable", cause });

export type SpoolThread = {
  readonly id: SpoolId;
  /**
   * Has the thread answer the call. `unavailable` if the thread does not answer before the deadline or has ended, and at once while it is
   * late with another call.
   */
  call<Name extends CallName>(
    name: Name,
    ...args: Parameters<Calls[Name]>
  ): PortResult<ReturnType<Calls[Name]>, SpoolFull>;
  /** As of the last reply. */
  usage(): Usage;
  /**
   * Ends the thread once it has answered all calls, or a call's time limit has passed. Later calls are `unavailable`.
   * Idempotent.
   */
  close(): Promise<void>;
};

/** Resolves once the thread has ended, or will not end soon: nothing can end a thread that is waiting for a disk. */
const endThread = async (worker: Worker): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_TIMEOUT_MS);
  });
  const terminated = worker.terminate();
  // The thread keeps the process alive no longer than this timeout.
  worker.unref();
  await Promise.race([terminated, late]);
  clearTimeout(timer);
};

type Call = {
  readonly settle: (reply: Reply) => void;
  readonly timer: ReturnType<typeof setTimeout>;
  /** Becomes minus infinity when the timer fires, which can be a fraction of a millisecond early. */
  deadline: number;
};

/**
 * Starts the thread of the spool in a directory. `cannot_open` if it does not open the spool within `openTimeoutMs`.
 *
 * @param onEnded called if the open spool's thread ends although it was not closed, which only a defect or a lack of memory can cause
 */
export const startSpoolThread = async ({
  timeoutMs,
  openTimeoutMs,
  onEnded = () => {},
  ...workerData
}: {
  readonly directory: string;
  readonly alongside: boolean;
  readonly timeoutMs: number;
  readonly openTimeoutMs: number;
  readonly onEnded?: ((error: unknown) => void) | undefined;
}): Promise<Result<SpoolThread, OpenError>> => {
  const worker = new Worker(existsSync(BUILT) ? BUILT : SOURCE, { workerData });
  /** Includes calls that nobody is waiting for anymore: the thread keeps them in memory until it answers them. The oldest is first. */
  const unanswered = new Map<number, Call>();
  let stopped: Cause | null = null;
  let serial = 0;

  const stop = (cause: Cause) => {
    stopped ??= cause;
    for (const id of [...unanswered.keys()]) answer({ id, error: unavailable(stopped) });
  };
  const answer = (reply: Reply) => {
    const call = unanswered.get(reply.id);
    if (call === undefined) return;
    unanswered.delete(reply.id);
    clearTimeout(call.timer);
    call.settle(reply);
  };

  /** Whether the thread is late with a reply. It works on the oldest call, and it is unknown when it will answer the others. */
  const isStuck = (): boolean => {
    const [oldest] = unanswered.values();
    return oldest !== undefined && oldest.deadline <= monotonicNow();
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
  // From now on, only the deadlines of calls keep the process alive.
  worker.unref();
  if ("error" in opened) {
    await endThread(worker);
    return err(opened.error);
  }
  const { id } = opened;
  let { usage } = opened;

  /** Calls of `take` that timed out. */
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
      answer(reply);
      if (lateTakes.delete(reply.id)) putBack(reply);
    }
  });
  const threadEnded = (error: unknown) => {
    const isUnexpected = stopped === null;
    stop(ENDED);
    if (isUnexpected) onEnded(error);
  };
  worker.on("error", threadEnded);
  worker.on("exit", () => threadEnded(new Error(ENDED.reason)));

  const post = <Name extends CallName>(name: Name, args: Parameters<Calls[Name]>) =>
    new Promise<Result<ReturnType<Calls[Name]>, Unavailable | SpoolFull>>((resolve) => {
      serial += 1;
      const id = serial;
      const settle = (reply: Reply) => {
        // Sound because the thread replies to each call with its own result.
        resolve("error" in reply ? err(reply.error) : ok(reply.value as ReturnType<Calls[Name]>));
      };
      const late = () => {
        if (name === "take") lateTakes.add(id);
        call.deadline = Number.NEGATIVE_INFINITY;
        settle({ id, error: unavailable(LATE) });
      };
      const deadline = monotonicNow() + timeoutMs;
      const call: Call = { settle, timer: setTimeout(late, timeoutMs), deadline };
      unanswered.set(id, call);
      worker.postMessage({ id, name, args, deadline });
    });

  let closing: Promise<void> | null = null;
  return ok({
    id,
    call: async (name, ...args) => {
      if (stopped !== null) return err(unavailable(stopped));
      if (isStuck()) return err(unavailable(LATE));
      if (unanswered.size >= MAX_UNANSWERED) return err(unavailable(TOO_MANY));
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
