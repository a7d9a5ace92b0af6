import { memorySpool } from "@postern/adapter-memory";
import { type CopyId, isNonEmpty, type MessageId, ok, parseSpoolId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Spool } from "@postern/mail";
import { answering, before } from "../faults.ts";
import { type BrokenSpool, copyOf, type Fault, flaw, MODEL, taking } from "./broken-spool.ts";

const AGAIN =
  "a message is sent again: what was not sent is due now, and copies are added, while others stay as they are";
const LOGGED = "a message that is sent again has to be logged, once for each alias";
const BODY = "a message that is sent again keeps its body until its new copies are settled";
const NO_BODY = "a message without a body is not sent again";
const ID = "a spool has an id of its own, which it keeps";

const idsOf = async (spool: Spool, message: MessageId): Promise<readonly CopyId[]> =>
  valueOf(await spool.findAll(message)).map(({ id }) => id);

/** Sends only some of the copies again. */
const resending =
  (which: "old" | "new"): Fault =>
  (spool) => ({
    resend: async (resend, message, copies, now) => {
      const known = await idsOf(spool, message);
      const some = copies.filter(({ id }) => known.includes(id) === (which === "old"));
      return isNonEmpty(some) ? resend(message, some, now) : ok(true);
    },
  });

const FIRST_ID = valueOf(parseSpoolId("a".repeat(26)));

export const brokenResends: readonly BrokenSpool[] = [
  flaw("a message is sent again to those who had it only", [AGAIN, LOGGED, MODEL], resending("old")),
  flaw("what failed is not sent again", [AGAIN, LOGGED, MODEL], resending("new")),
  flaw("what waits to be sent is due now if it is sent again", [AGAIN, MODEL], (spool) => ({
    resend: answering(async (resent, _message, copies, now) => {
      for (const { id } of copies) {
        if ((await copyOf(spool, id))?.state === "queued") await spool.retry(id, now);
      }
      return resent;
    }),
  })),
  flaw("messages are sent again that nobody wants to be", [AGAIN, MODEL], (spool) => ({
    resend: before(async (message, _copies, now) => {
      for (const id of await idsOf(spool, message)) await spool.retry(id, now);
    }),
  })),
  flaw("a message is said to be sent again although its body is forgotten", [NO_BODY, MODEL], {
    resend: answering(() => true),
  }),
  flaw("the body of a message is forgotten although a copy was added", [BODY], (spool, seen) => ({
    resend: before(async (message, copies) => {
      const known = await idsOf(spool, message);
      for (const { id } of copies) if (!known.includes(id)) seen.add(id);
    }),
    take: taking((copies) => copies.filter(({ copy }) => !seen.has(copy.id))),
  })),
  {
    flaw: "all spools have the same id",
    noticedBy: [ID],
    open: async ({ limit }) => ({
      spool: { ...memorySpool({ limit }), id: FIRST_ID },
      close: async () => {},
    }),
  },
];
