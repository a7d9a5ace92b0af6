import { memorySpool } from "@postern/adapter-memory";
import { ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { MailBody, Mailing, ReceivedBody } from "@postern/mail";
import { inChunks, readBody } from "../../../src/spool/spool-samples.ts";
import { type BrokenSpool, spool } from "./broken-spool.ts";

const ANY_SIZE =
  "a body of any size, in chunks of any size, is read as it was received, again and again and at the same time";
const GONE = "a discarded body is gone, and cannot be kept";

const without = (from: number) =>
  async function* (chunks: AsyncIterable<Uint8Array>) {
    let at = 0;
    for await (const chunk of chunks) {
      if (at < from) yield chunk;
      at += chunk.length;
    }
  };

/** The due copies, with other bodies. */
const withBodies = (change: (body: MailBody) => MailBody) =>
  spool((real) => ({
    take: async (...input) =>
      (await real.take(...input)).map(({ copies, more }) => ({
        copies: copies.map((due) => ({ ...due, body: change(due.body) })),
        more,
      })),
  }));

export const brokenBodies: readonly BrokenSpool[] = [
  {
    flaw: "what follows the first 256 KiB of a body is lost",
    noticedBy: [ANY_SIZE],
    open: spool((real) => ({ receive: (chunks) => real.receive(without(256 * 1024)(chunks)) })),
  },
  {
    flaw: "a body is read in one chunk",
    noticedBy: [ANY_SIZE],
    open: withBodies((body) => ({
      ...body,
      read: async function* () {
        const whole: Uint8Array[] = [];
        for await (const chunk of body.read()) whole.push(chunk);
        yield Buffer.concat(whole);
      },
    })),
  },
  {
    flaw: "a body can be read only once",
    noticedBy: [ANY_SIZE],
    open: withBodies((body) => {
      const once = body.read();
      return { ...body, read: () => once };
    }),
  },
  {
    flaw: "readers of a body share a position",
    noticedBy: [ANY_SIZE],
    open: withBodies((body) => {
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
  },
  {
    flaw: "a body without chunks is refused",
    noticedBy: ["a body is empty if no chunks arrive, or only empty ones"],
    open: spool((real) => ({
      receive: async (chunks) => {
        const received = await real.receive(chunks);
        return received.isOk() && received.value.size === 0
          ? real.receive(
              // biome-ignore lint/correctness/useYield: it fails before it yields.
              (async function* () {
                throw new Error("empty");
              })(),
            )
          : received;
      },
    })),
  },
  {
    flaw: "chunks are kept instead of their content",
    noticedBy: ["a chunk of a body may be reused once the next one has been requested"],
    open: spool((real) => ({
      receive: async (chunks) => {
        const kept: Uint8Array[] = [];
        for await (const chunk of chunks) kept.push(chunk);
        return real.receive(inChunks(Buffer.concat(kept)));
      },
    })),
  },
  {
    flaw: "what arrived before an error counts as the body",
    noticedBy: ["a body that ends with an error leaves nothing behind"],
    open: spool((real) => ({
      receive: (chunks) =>
        real.receive(
          (async function* () {
            try {
              yield* chunks;
            } catch {
              // It looks like the end.
            }
          })(),
        ),
    })),
  },
  {
    flaw: "discarding a body does nothing",
    noticedBy: [GONE],
    open: spool((real) => ({
      receive: async (chunks) =>
        (await real.receive(chunks)).map((body) => Object.assign(body, { discard: async () => {} })),
    })),
  },
  {
    flaw: "a discarded body can be kept",
    noticedBy: [GONE],
    open: spool((real) => {
      const contents = new WeakMap<ReceivedBody, Uint8Array>();
      return {
        receive: async (chunks) => {
          const received = await real.receive(chunks);
          if (received.isOk()) contents.set(received.value, await readBody(received.value));
          return received;
        },
        keep: async (mailing: Mailing) => {
          const kept = await real.keep(mailing);
          if (kept.isOk()) return kept;
          const body = await real.receive(inChunks(contents.get(mailing.body) ?? new Uint8Array()));
          return body.isOk() ? real.keep({ ...mailing, body: body.value }) : kept;
        },
      };
    }),
  },
  {
    flaw: "a body that was kept is discarded too",
    noticedBy: ["discarding a body that was kept does nothing"],
    open: spool((real) => {
      const discarded = new Set<number>();
      return {
        receive: async (chunks) =>
          (await real.receive(chunks)).map((body) => {
            const { discard } = body;
            return Object.assign(body, {
              discard: async () => {
                discarded.add(body.size);
                await discard();
              },
            });
          }),
        take: async (...input) =>
          (await real.take(...input)).map(({ copies, more }) => ({
            copies: copies.map((due) =>
              discarded.has(due.body.size)
                ? {
                    ...due,
                    body: {
                      ...due.body,
                      read: () => {
                        throw new Error("the body is gone");
                      },
                    },
                  }
                : due,
            ),
            more,
          })),
      };
    }),
  },
  {
    flaw: "a body that was received is swept unless it was kept",
    noticedBy: ["a body that was received, but not kept yet, is not swept"],
    open: spool((real) => {
      const received = new Set<ReceivedBody>();
      return {
        receive: async (chunks) => {
          const body = await real.receive(chunks);
          if (body.isOk()) received.add(body.value);
          return body;
        },
        keep: (mailing) => {
          received.delete(mailing.body);
          return real.keep(mailing);
        },
        sweep: async (now) => {
          for (const body of received) await body.discard();
          return real.sweep(now);
        },
      };
    }),
  },
  {
    flaw: "messages that are kept at the same time get the body of the last one",
    noticedBy: ["many messages that are kept at the same time are all kept, with their own bodies"],
    open: async ({ limit }) => {
      const real = memorySpool({ limit });
      let last: ReceivedBody | null = null;
      return {
        spool: {
          ...real,
          keep: async (mailing) => {
            last = mailing.body;
            await new Promise((resolve) => setImmediate(resolve));
            const content = await readBody(last);
            const body = valueOf(await real.receive(inChunks(content)));
            const kept = await real.keep({ ...mailing, body });
            return kept.isOk() ? ok() : kept;
          },
        },
        close: async () => {},
      };
    },
  },
];
