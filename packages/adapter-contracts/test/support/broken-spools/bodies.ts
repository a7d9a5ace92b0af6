import { setImmediate } from "node:timers/promises";
import { valueOf } from "@postern/core/testing";
import type { MailBody, ReceivedBody } from "@postern/mail";
import { inChunks, readBody } from "../../../src/spool/spool-samples.ts";
import { answering, before, changingFirst } from "../faults.ts";
import { type BrokenSpool, flaw, flawsBy, taking, wholeOf, withoutBody } from "./broken-spool.ts";

const ANY_SIZE =
  "a body of any size, in chunks of any size, is read as it was received, again and again and at the same time";
const EMPTY = "a body is empty if no chunks arrive, or only empty ones";
const REUSED = "a chunk of a body may be reused once the next one has been requested";
const ERROR = "a body that ends with an error leaves nothing behind";
const GONE = "a discarded body is gone, and cannot be kept";
const KEPT = "discarding a body that was kept does nothing";
const NOT_SWEPT = "a body that was received, but not kept yet, is not swept";
const MANY = "many messages that are kept at the same time are all kept, with their own bodies";

/** Copies are handed out with other bodies. */
const withBodies = flawsBy((change: (body: MailBody) => MailBody) => ({
  take: taking((copies) => copies.map((due) => ({ ...due, body: change(due.body) }))),
}));

async function* failing(): AsyncGenerator<Uint8Array> {
  yield await Promise.reject(new Error("empty"));
}

export const brokenBodies: readonly BrokenSpool[] = [
  flaw("what follows the first 256 KiB of a body is lost", [ANY_SIZE], {
    receive: changingFirst(async function* (chunks) {
      let at = 0;
      for await (const chunk of chunks) {
        if (at < 256 * 1024) yield chunk;
        at += chunk.length;
      }
    }),
  }),
  withBodies("a body is read in one chunk", [ANY_SIZE], (body) => ({
    ...body,
    read: async function* () {
      yield await wholeOf(body.read());
    },
  })),
  withBodies("a body can be read only once", [ANY_SIZE], (body) => {
    const once = body.read();
    return { ...body, read: () => once };
  }),
  withBodies("readers of a body share a position", [ANY_SIZE], (body) => {
    let at = 0;
    return {
      ...body,
      read: async function* () {
        at = 0;
        const whole = await readBody(body);
        while (at < whole.length) {
          const chunk = whole.slice(at, at + 1_000);
          at += 1_000;
          yield chunk;
        }
      },
    };
  }),
  flaw("a body without chunks is refused", [EMPTY], {
    receive: async (receive, chunks) => {
      const received = await receive(chunks);
      return received.isOk() && received.value.size === 0 ? receive(failing()) : received;
    },
  }),
  flaw("chunks are kept instead of their content", [REUSED], {
    receive: changingFirst(async (chunks) => inChunks(await wholeOf(chunks, (chunk) => chunk))),
  }),
  flaw("what arrived before an error counts as the body", [ERROR], {
    receive: changingFirst(async function* (chunks) {
      try {
        yield* chunks;
      } catch {
        // It looks like the end.
      }
    }),
  }),
  flaw("discarding a body does nothing", [GONE], {
    receive: answering((body) => Object.assign(body, { discard: async () => {} })),
  }),
  flaw("a body that is gone cannot be told from one that cannot be read now", [GONE], {
    receive: answering((body) =>
      Object.assign(body, {
        read: async function* (read: MailBody["read"]) {
          try {
            yield* read();
          } catch {
            throw new Error("the body cannot be read");
          }
        }.bind(null, body.read),
      }),
    ),
  }),
  flaw("a discarded body can be kept", [GONE], (spool) => {
    const contents = new WeakMap<ReceivedBody, Uint8Array>();
    return {
      receive: answering(async (body) => {
        contents.set(body, await readBody(body));
        return body;
      }),
      keep: async (keep, mailing) => {
        const kept = await keep(mailing);
        if (kept.isOk()) return kept;
        const body = await spool.receive(inChunks(contents.get(mailing.body) ?? new Uint8Array()));
        return body.isOk() ? keep({ ...mailing, body: body.value }) : kept;
      },
    };
  }),
  flaw("a body that was kept is discarded too", [KEPT], () => {
    const discarded = new Set<number>();
    return {
      receive: answering((body) => {
        const { discard } = body;
        return Object.assign(body, {
          discard: async () => {
            discarded.add(body.size);
            await discard();
          },
        });
      }),
      take: taking((copies) => copies.map((due) => (discarded.has(due.body.size) ? withoutBody(due) : due))),
    };
  }),
  flaw("a body that was received is swept unless it was kept", [NOT_SWEPT], () => {
    const received = new Set<ReceivedBody>();
    return {
      receive: answering((body) => {
        received.add(body);
        return body;
      }),
      keep: before(({ body }) => received.delete(body)),
      sweep: before(async () => {
        for (const body of received) await body.discard();
      }),
    };
  }),
  flaw("messages that are kept at the same time get the body of the last one", [MANY], (spool) => {
    let last: ReceivedBody | null = null;
    return {
      keep: changingFirst(async (mailing) => {
        last = mailing.body;
        await setImmediate();
        return { ...mailing, body: valueOf(await spool.receive(inChunks(await readBody(last)))) };
      }),
    };
  }),
];
