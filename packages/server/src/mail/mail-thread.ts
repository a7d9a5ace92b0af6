import { access } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { err, ok, type PortResult } from "@postern/core";
import { createBirpc } from "birpc";
import { noMailMetrics } from "../observability/mail-metrics.ts";
import { operationsOf } from "../stores/operations-of.ts";
import type { OpenMailPlane } from "./open-mail-plane.ts";
import {
  type MailCalls,
  type MailThreadData,
  type MainCalls,
  received,
  type Sent,
  sent,
} from "./thread-calls.ts";

/** The thread runs from the source, or from what was built of it. */
const [BUILT, SOURCE] = [new URL("./worker.js", import.meta.url), new URL("./worker.ts", import.meta.url)];

/** How much longer than it was given the thread may take to stop: it still has to close its spool. */
const CLOSE_MS = 2_000;

const ENDED = { source: "mail", reason: "the mail plane has stopped" };

/** Resolves to whether the file exists. */
const exists = (file: URL): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** `openMailPlane` in a thread of its own, with a lower priority than requests. What is uncaught there ends the process. */
export const openMailThread: OpenMailPlane = async (settings, { store, logger, metrics }) => {
  const operations = operationsOf(store);
  // Asynchronously: the first such call starts the threads that look up names and sign for the whole process, with the caller's priority.
  const isBuilt = await exists(BUILT);
  const worker = new Worker(isBuilt ? BUILT : SOURCE, {
    workerData: {
      settings,
      operations: [...operations.keys()],
      measured: metrics !== noMailMetrics,
    } satisfies MailThreadData,
  });
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
      // Whatever the thread waits for has a deadline.
      timeout: -1,
    },
  );
  const end = async (): Promise<void> => {
    ended = true;
    thread.$close();
    await worker.terminate();
  };
  /** The reply to a call, or `unavailable` if the thread was ended before it replied. */
  const replied = async <T, E>(reply: Promise<Sent<T, E>>): PortResult<T, E> => {
    try {
      return received(await reply);
    } catch (error) {
      if (!ended) throw error;
      return err({ code: "unavailable", cause: ENDED });
    }
  };

  const opened = received(await thread.open());
  if (opened.isErr()) {
    await end();
    return err(opened.error);
  }
  const stop = async (graceMs: number): Promise<void> => {
    const late = Symbol("late");
    const result = await Promise.race([
      thread.stop(graceMs),
      setTimeout(graceMs + CLOSE_MS, late, { ref: false }),
    ]);
    // Nothing is lost: what was under way is done again after the next start.
    if (result === late) logger.error({}, "the mail plane did not stop in time, and was ended");
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
    size: () => replied(thread.size()),
    verificationMail: {
      queues: true,
      send: (message) => replied(thread.sendVerification(message)),
    },
  });
};
