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
  ({ db, log, id, isInPlace, close }) => {
    const answer = answerCalls(db, operations(db, bodyRemoval(directory)), isInPlace);
    const used = db.prepare(`
      SELECT octets, freelist_count * page_size AS unused FROM total, pragma_freelist_count, pragma_page_size`);
    const usageNow = (): Usage => {
      const { octets, unused } = used.get() ?? {};
      const { size = 0 } = statSync(log, { throwIfNoEntry: false }) ?? {};
      return { octets: Number(octets), unused: Number(unused), log: size };
    };
    let usage = usageNow();

    port.on("message", (first: Request) => {
      const calls = [first];
      while (calls.length < MAX_CALLS) {
        const next: { readonly message: Request } | undefined = receiveMessageOnPort(port);
        if (next === undefined) break;
        calls.push(next.message);
      }
      const replies: Reply[] = [...answer(calls)];
      try {
        usage = usageNow();
      } catch {
        // The replies say enough about the problem.
      }
      const closing = calls.find(({ name }) => name === "close");
      if (closing !== undefined) {
        close();
        replies.push({ id: closing.id, value: undefined });
      }
      port.postMessage({ replies, usage } satisfies Replies);
      if (closing !== undefined) port.close();
    });
    port.postMessage({ opened: true, id, usage } satisfies Opened);
  },
  (error) => {
    port.postMessage({ error } satisfies Opened);
    port.close();
  },
);
