import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch } from "../expect.ts";
import { spoolCheck } from "./spool-check.ts";
import {
  account,
  forward,
  inChunks,
  isGone,
  isSame,
  NOW,
  newMailing,
  octets,
  readBody,
  receive,
} from "./spool-samples.ts";

const KIB = 1024;

/** Around the sizes of chunks, and of what a spool could store in different places. */
const SIZES = [0, 1, 64 * KIB, 64 * KIB + 1, 256 * KIB, 256 * KIB + 1, 2 * KIB * KIB + 3];

const PURPOSES = [forward(account(0))] as const;

const expectSame = (actual: Uint8Array, expected: Uint8Array): void => {
  if (!isSame(actual, expected)) throw new Error("the body is not the one that was received");
};

export const bodyChecks = [
  spoolCheck(
    "a body of any size, in chunks of any size, is read as it was received, again and again and at the same time",
    async ({ spool }) => {
      for (const [n, size] of SIZES.entries()) {
        const content = octets(size, n + 1);
        const body = valueOf(await spool.receive(inChunks(content, [7_919, 65_536, 200_000][n % 3])));
        expectEqual(body.size, size);
        expectSame(await readBody(body), content);
        const mailing = newMailing(body, PURPOSES);
        valueOf(await spool.keep(mailing));
        expectSame(await readBody(body), content);
        const [due] = valueOf(await spool.take(NOW, 10, [])).copies;
        if (due === undefined) throw new Error("a copy that is due was not handed out");
        expectEqual(due.body.size, size);
        for (const read of await Promise.all([readBody(due.body), readBody(due.body)]))
          expectSame(read, content);
        expectSame(await readBody(due.body), content);
      }
    },
  ),

  spoolCheck("a body is empty if no chunks arrive, or only empty ones", async ({ spool }) => {
    const empty = async function* () {
      for (let n = 0; n < 3; n += 1) yield new Uint8Array();
    };
    for (const chunks of [inChunks(new Uint8Array()), empty()]) {
      const body = valueOf(await spool.receive(chunks));
      expectEqual([body.size, (await readBody(body)).length], [0, 0]);
      await body.discard();
    }
  }),

  spoolCheck("a chunk of a body may be reused once the next one has been requested", async ({ spool }) => {
    const content = octets(400_000);
    const reused = async function* () {
      const chunk = new Uint8Array(1_000);
      for (let at = 0; at < content.length; at += chunk.length) {
        chunk.set(content.subarray(at, at + chunk.length));
        yield chunk;
      }
    };
    expectSame(await readBody(valueOf(await spool.receive(reused()))), content);
  }),

  spoolCheck("a body that ends with an error leaves nothing behind", async ({ spool }) => {
    for (const size of [1_000, 600_000]) {
      const broken = async function* () {
        yield* inChunks(octets(size));
        throw new Error("the client is gone");
      };
      expectMatch(await spool.receive(broken()), { error: { code: "unavailable" } });
      expectEqual(valueOf(await spool.size()).bytes, 0);
    }
  }),

  spoolCheck("a discarded body is gone, and cannot be kept", async ({ spool }) => {
    for (const size of [10, 600_000]) {
      const body = await receive(spool, octets(size));
      expectEqual(valueOf(await spool.size()).bytes, size);
      await body.discard();
      await body.discard();
      expectEqual(valueOf(await spool.size()).bytes, 0);
      expectEqual(await isGone(body), true);
      const mailing = newMailing(body, PURPOSES);
      expectMatch(await spool.keep(mailing), { error: { code: "unavailable" } });
      expectEqual(valueOf(await spool.find(mailing.copies[0].id)), null);
    }
  }),

  spoolCheck("discarding a body that was kept does nothing", async ({ spool }) => {
    for (const size of [10, 600_000]) {
      const content = octets(size);
      const body = await receive(spool, content);
      valueOf(await spool.keep(newMailing(body, PURPOSES)));
      const { bytes } = valueOf(await spool.size());
      await body.discard();
      expectEqual(valueOf(await spool.size()).bytes, bytes);
      const [due] = valueOf(await spool.take(NOW, 1, [])).copies;
      if (due === undefined) throw new Error("a copy that is due was not handed out");
      expectSame(await readBody(due.body), content);
    }
  }),
];
