import { statSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { answerCalls } from "./answer-calls.ts";
import { bodyRemoval } from "./body-files.ts";
import type { Opened, Replies, Reply, Request } from "./calls.ts";
import type { Usage } from "./disk-room.ts";
import { openSpool } from "./open-spool.ts";
import { operations } from "./operations.ts";

/*
 * The thread of a spool does all work with SQLite, so that the disk does not block requests to the API. All calls that arrive
 * while others are being committed are committed next, together.
 */

/** Longer transactions would make the first of many callers wait for the last one. */
const MAX_CALLS = 256;

if (parentPort === null) throw new Error("this is the thread of a spool");
const port = parentPort;
// Sound because only `sqliteSpool` starts this thread.
const { directory, alongside } = workerData as { readonly directory: string; readonly alongside: boolean };

openSpool(directory, alongside).match(
  (spool) => {
    const { db, durability, log, id, close } = spool;
    const used = db.prepare(`
      SELECT octets, freelist_count * page_size AS unused FROM total, pragma_freelist_count, pragma_page_size`);
    const usageNow = (): Usage => {
      const { octets, unused } = used.get() ?? {};
      const { size = 0 } = statSync(log, { throwIfNoEntry: false }) ?? {};
      return { octets: Number(octets), unused: Number(unused), log: size };
    };
    let usage = usageNow();

    let replies: Reply[] = [];
    const send = () => {
      try {
        usage = usageNow();
      } catch {
        // The database is closed, or the replies say enough about the problem.
      }
      port.postMessage({ replies, usage } satisfies Replies);
      replies = [];
    };
    /** Replies that are ready at the same time share a message. */
    const reply = (each: Reply) => {
      if (replies.length === 0) queueMicrotask(send);
      replies.push(each);
    };
    const answer = answerCalls(spool, operations(db, bodyRemoval(directory)), reply);

    port.on("message", (first: Request) => {
      const calls = [first];
      while (calls.length < MAX_CALLS) {
        const next: { readonly message: Request } | undefined = receiveMessageOnPort(port);
        if (next === undefined) break;
        calls.push(next.message);
      }
      answer(calls);
      const closing = calls.find(({ name }) => name === "close");
      if (closing === undefined) return;
      // Everybody who waits is told first.
      durability.afterWrite(Number.POSITIVE_INFINITY, () => {
        close();
        reply({ id: closing.id, value: undefined });
        queueMicrotask(() => port.close());
      });
    });
    port.postMessage({ opened: true, id, usage } satisfies Opened);
  },
  (error) => {
    port.postMessage({ error } satisfies Opened);
    port.close();
  },
);
