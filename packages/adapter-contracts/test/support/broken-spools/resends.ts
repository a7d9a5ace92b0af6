import { isNonEmpty, ok, parseSpoolId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Spool } from "@postern/mail";
import { type BrokenSpool, MODEL, spool } from "./broken-spool.ts";

const AGAIN =
  "a message is sent again: what was not sent is due now, and copies are added, while others stay as they are";
const LOGGED = "a message that is sent again has to be logged, once for each alias";
const BODY = "a message that is sent again keeps its body until its new copies are settled";
const NO_BODY = "a message without a body is not sent again";
const ID = "a spool has an id of its own, which it keeps";

/** The correct spool, except that it sends only some of the copies again. */
const resending = (which: "old" | "new") =>
  spool((real) => ({
    resend: async (message, copies, now) => {
      const known = new Set(valueOf(await real.findAll(message)).map(({ id }) => id));
      const some = copies.filter(({ id }) => known.has(id) === (which === "old"));
      return isNonEmpty(some) ? real.resend(message, some, now) : ok(true);
    },
  }));

const firstId = valueOf(parseSpoolId("a".repeat(26)));

export const brokenResends: readonly BrokenSpool[] = [
  {
    flaw: "a message is sent again to those who had it only",
    noticedBy: [AGAIN, LOGGED, MODEL],
    open: resending("old"),
  },
  {
    flaw: "what failed is not sent again",
    noticedBy: [AGAIN, LOGGED, MODEL],
    open: resending("new"),
  },
  {
    flaw: "what waits to be sent is due now if it is sent again",
    noticedBy: [AGAIN, MODEL],
    open: spool((real) => ({
      resend: async (message, copies, now) => {
        const resent = await real.resend(message, copies, now);
        for (const { id } of copies) {
          const found = valueOf(await real.find(id));
          if (found?.copy.state === "queued") await real.retry(id, now);
        }
        return resent;
      },
    })),
  },
  {
    flaw: "messages are sent again that nobody wants to be",
    noticedBy: [AGAIN, MODEL],
    open: spool((real) => ({
      resend: async (message, copies, now) => {
        for (const { id } of valueOf(await real.findAll(message))) await real.retry(id, now);
        return real.resend(message, copies, now);
      },
    })),
  },
  {
    flaw: "a message is said to be sent again although its body is forgotten",
    noticedBy: [NO_BODY, MODEL],
    open: spool((real) => ({
      resend: async (...input) => (await real.resend(...input)).map(() => true),
    })),
  },
  {
    flaw: "the body of a message is forgotten although a copy was added",
    noticedBy: [BODY],
    open: spool((real) => {
      const added = new Set<string>();
      const gone: Spool["take"] = async (...input) =>
        (await real.take(...input)).map(({ copies, more }) => ({
          copies: copies.filter(({ copy }) => !added.has(copy.id)),
          more,
        }));
      return {
        resend: async (message, copies, now) => {
          const known = new Set(valueOf(await real.findAll(message)).map(({ id }) => id));
          for (const { id } of copies) if (!known.has(id)) added.add(id);
          return real.resend(message, copies, now);
        },
        take: gone,
      };
    }),
  },
  {
    flaw: "all spools have the same id",
    noticedBy: [ID],
    open: spool(() => ({ id: firstId })),
  },
];
