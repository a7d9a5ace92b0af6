import { access } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { err, ok, type PortResult, type Unavailable } from "@postern/core";
import { createBirpc } from "birpc";
import { causeText } from "../../system/cause-text.ts";
import { exitAtOnce } from "../../system/exit-at-once.ts";
import { inTime, LATE } from "../../system/in-time.ts";
import { noMailMetrics } from "../observability/mail-metrics.ts";
import { operationsOf } from "../operations-of.ts";
import type { OpenMailPlane } from "./open-mail-plane.ts";
import {
  type MailCalls,
  type MailThreadData,
  type MainCalls,
  received,
  type Sent,
  sent,
} from "./thread-calls.ts";

/** The thread runs from the source, or from the build. */
const [BUILT, SOURCE] = [new URL("./worker.js", import.meta.url), new URL("./worker.ts", import.meta.url)];

/** How long the thread may take to stop beyond its grace period: it still has to close its spool. */
const CLOSE_MS = 2_000;

/** How long the thread may take to end. If it takes longer, it is stuck in the kernel. */
const END_MS = 2_000;

/** How long a reply may take: less than the ten seconds after which Prometheus abandons the whole scrape. */
const REPLY_MS = 8_000;

/** How often the thread is asked whether it still responds. */
const PING_MS = 10_000;

/** How many consecutive pings may go unanswered. They are counted, not timed: nothing responds while the whole machine is suspended. */
const UNANSWERED_PINGS = 6;

const unavailable = (reason: string): Unavailable => ({
  code: "unavailable",
  cause: { source: "mail", reason },
});
const ENDED = unavailable("the mail plane has stopped");
const NO_REPLY = unavailable(`the mail plane did not reply within ${REPLY_MS} ms`);

/** Resolves to whether the file exists. */
const exists = (file: URL): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/**
 * Runs `openMailPlane` in a thread of its own, with a lower priority than requests. An uncaught error there ends the process, and so
 * does a thread that has not responded for a minute: whatever restarts the process restarts both.
 */
export const openMailThread: OpenMailPlane = async (settings, { store, logger, metrics }) => {
  const operations = operationsOf(store);
  // Asynchronous: the first such call starts the threads that look up names and sign for the whole process, with the caller's priority.
  const isBuilt = await exists(BUILT);
  const worker = new Worker(isBuilt ? BUILT : SOURCE, {
    workerData: {
      settings,
      operations: [...operations.keys()],
      measured: metrics !== noMailMetrics,
    } satisfies MailThreadData,
  });
  /** From now on, the process exits whether or not the thread has ended. */
  const exitWithoutIt = (): void => {
    process.on("exit", exitAtOnce);
    worker.on("exit", () => process.off("exit", exitAtOnce));
  };
  let ended = false;
  worker.on("error", (error) => {
    throw error;
  });
  worker.on("exit", () => {
    if (!ended) throw new Error("the thread of the mail plane has ended");
  });

  const thread = createBirpc<MailCalls, MainCalls>(
    {
      ...metrics,
      store: async (name, input) => {
        const operation = operations.get(name);
        if (operation === undefined) throw new Error(`the store has no operation ${name}`);
        return sent(await operation(...input));
      },
      log: (level, fields, message) => logger[level](fields, message),
    },
    {
      post: (message) => worker.postMessage(message),
      on: (listener) => worker.on("message", listener),
      eventNames: ["reload"],
      // Opening and starting may take a long time. Whatever they wait for has a deadline, and other calls have that of `replied`.
      timeout: -1,
    },
  );
  let unanswered = 0;
  const ping = (): void => {
    if (unanswered === UNANSWERED_PINGS) {
      const reason = "the thread of the mail plane does not respond";
      // Node itself would report the error only after `exitAtOnce`.
      process.stderr.write(`${reason}\n`);
      exitWithoutIt();
      throw new Error(reason);
    }
    unanswered += 1;
    // It rejects only if the thread is ended first.
    thread.ping().then(
      () => {
        unanswered = 0;
      },
      () => {},
    );
  };
  const pings = setInterval(ping, PING_MS);
  const end = async (): Promise<void> => {
    ended = true;
    clearInterval(pings);
    thread.$close();
    const terminated = worker.terminate();
    // Nothing can end it while it waits for a disk.
    worker.unref();
    if ((await inTime(terminated, END_MS)) === LATE) exitWithoutIt();
  };
  /** The reply to a call, or `unavailable` if the thread did not reply in time, or was ended before it replied. */
  const replied = async <T, E>(reply: Promise<Sent<T, E>>): PortResult<T, E> => {
    try {
      const replied = await inTime(reply, REPLY_MS);
      return replied === LATE ? err(NO_REPLY) : received<T, E | Unavailable>(replied);
    } catch (error) {
      if (!ended) throw error;
      return err(ENDED);
    }
  };

  const opening = await thread.open().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const opened = received(opening);
  if (opened.isErr()) {
    await end();
    return err(opened.error);
  }
  const stop = async (graceMs: number): Promise<void> => {
    clearInterval(pings);
    const result = await inTime(thread.stop(graceMs), graceMs + CLOSE_MS);
    // Nothing is lost: unfinished work is done again after the next start.
    if (result === LATE) logger.error({}, "the mail plane did not stop in time and was terminated");
    await end();
  };
  let stopped: Promise<void> | undefined;
  return ok({
    start: async () => received(await thread.start()),
    reload: () => {
      if (!ended) void thread.reload();
    },
    stop: (graceMs) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
    size: async () => {
      const size = await replied(thread.size());
      // Other failures are counted and logged where the spool is.
      if (size.isErr() && size.error === NO_REPLY) {
        metrics.spoolFailed();
        logger.error({ cause: causeText(NO_REPLY.cause) }, "the spool could not be read");
      }
      return size;
    },
    verificationMail: {
      queues: true,
      send: (message) => replied(thread.sendVerification(message)),
    },
  });
};
