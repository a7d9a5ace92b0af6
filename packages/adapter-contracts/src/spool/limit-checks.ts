import { spoolOctets } from "@postern/core/mail";
import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch } from "../expect.ts";
import { spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DAY,
  forward,
  inChunks,
  NOW,
  newMailing,
  octets,
  receive,
  settleAll,
  sweepAll,
} from "./spool-samples.ts";

const LIMIT = 1_000_000;
const FULL = { error: { code: "spool_full" } };
const PURPOSES = [forward(account(0)), forward(account(0), "alias", 1)] as const;

export const limitChecks = [
  spoolCheck(
    "what is in the spool never exceeds its limit, and of what does not fit nothing is left",
    async ({ spool }) => {
      // First a body does not fit, then a message of which the body did.
      for (const sizes of [[100_000, 0, 300_000, 20_000], [248_000]]) {
        let expected = 0;
        let kept = 0;
        for (let n = 0; ; n += 1) {
          const size = sizes[n % sizes.length] ?? 0;
          const received = await spool.receive(inChunks(octets(size)));
          if (expected + size > LIMIT) {
            expectMatch(received, FULL);
            break;
          }
          const mailing = newMailing(valueOf(received), PURPOSES);
          const stored = await spool.keep(mailing);
          if (expected + size + spoolOctets(mailing) > LIMIT) {
            expectMatch(stored, FULL);
            expectEqual(valueOf(await spool.find(mailing.copies[0].id)), null);
            await mailing.body.discard();
            break;
          }
          valueOf(stored);
          expected += size + spoolOctets(mailing);
          kept += 1;
          expectEqual(valueOf(await spool.size()).bytes, expected);
        }
        expectEqual(valueOf(await spool.size()).bytes, expected);
        expectEqual(valueOf(await spool.size()).queued, kept * PURPOSES.length);
        await settleAll(spool, ACCEPTED);
        await sweepAll(spool, NOW + DAY);
        expectEqual(valueOf(await spool.size()).bytes, 0);
      }
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "a body that does not fit is refused while it arrives, and the spool asks for no more of it",
    async ({ spool }) => {
      let asked = 0;
      const endless = async function* () {
        for (; asked < 1_000; asked += 1) yield octets(10_000);
      };
      expectMatch(await spool.receive(endless()), FULL);
      // Some chunks may be read ahead.
      if (asked > 150) throw new Error(`${asked} chunks were read of a body that did not fit after 100`);
      expectEqual(valueOf(await spool.size()).bytes, 0);
      await (await receive(spool, octets(LIMIT))).discard();
    },
    { limit: LIMIT },
  ),

  spoolCheck(
    "bodies that arrive at the same time share the limit",
    async ({ spool }) => {
      const results = await Promise.all(
        [1, 2, 3, 4].map((seed) => spool.receive(inChunks(octets(300_000, seed)))),
      );
      const bodies = results.flatMap((result) => (result.isOk() ? [result.value] : []));
      for (const result of results) if (result.isErr()) expectMatch(result, FULL);
      if (bodies.length > 3) throw new Error("bodies beyond the limit were received");
      expectEqual(valueOf(await spool.size()).bytes, bodies.length * 300_000);
      await Promise.all(bodies.map((body) => body.discard()));
      expectEqual(valueOf(await spool.size()).bytes, 0);
    },
    { limit: LIMIT },
  ),
];
