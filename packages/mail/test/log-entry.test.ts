import { FAILED_BODY_RETENTION, FAILURE_REASONS } from "@postern/core";
import { testBody } from "@postern/core/testing";
import { aliasOfLog, Copy, changesLog } from "@postern/mail";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keptBody, loggedCopy } from "../src/outcomes/log-entry.ts";
import { aCopy, aMessage, NOTICE, POSTMASTER, VERIFICATION } from "./samples.ts";
import { ALIAS, FORWARD } from "./support/mail.ts";

const { spool } = testBody(0);
const message = aMessage(0);
const failed = { ...aCopy(message), state: "failed", since: 5 } as const;
const expired = { ...aCopy(message), state: "expired", since: 7 } as const;
const sent = { ...aCopy(message), state: "sent", since: 9 } as const;

test("the log says that a body is kept for 7 days after the last copy has failed", () => {
  const until = 7 + FAILED_BODY_RETENTION;
  expect(keptBody({ copies: [failed, expired, sent], hasBody: true }, spool)).toEqual({ spool, until });
});

test("the log does not say that a body is kept if it is forgotten, or if nothing failed that could be sent again", () => {
  expect(keptBody({ copies: [failed], hasBody: false }, spool)).toBeNull();
  const ofOperator = { ...aCopy(message, { purpose: POSTMASTER }), state: "failed" } as const;
  const dropped = { ...aCopy(message), state: "dropped" } as const;
  expect(keptBody({ copies: [sent, aCopy(message), dropped, ofOperator], hasBody: true }, spool)).toBeNull();
});

test("copies for an alias and from it are in its log, and no others", () => {
  expect(aliasOfLog({ purpose: FORWARD })).toEqual(ALIAS);
  const author = FORWARD.alias.email;
  expect(aliasOfLog({ purpose: { kind: "reply", alias: ALIAS, author, unsubscribesFrom: null } })).toEqual(
    ALIAS,
  );
  for (const purpose of [NOTICE, POSTMASTER, VERIFICATION]) expect(aliasOfLog({ purpose })).toBeNull();
});

test("a delayed copy waits in the log until it has arrived or bounced, in whichever order that is reported", async () => {
  const reports = fc.array(
    fc.oneof(fc.constantFrom(...FAILURE_REASONS), fc.constantFrom("delivered" as const, "bounced" as const)),
    { maxLength: 6 },
  );
  await fc.assert(
    fc.property(reports, (all) => {
      let copy: Copy = sent;
      for (const report of all) {
        copy =
          report === "delivered" || report === "bounced"
            ? Copy.report(copy, report, 11, report === "bounced" ? "mailbox_unknown" : null)
            : Copy.delay(copy, report);
      }
      const { state, reason } = loggedCopy(copy);
      const expected = () => {
        if (all.includes("bounced")) return ["bounced", "mailbox_unknown"];
        if (all.includes("delivered")) return ["delivered", null];
        return all.length === 0 ? ["sent", null] : ["queued", all.at(-1)];
      };
      expect([state, reason]).toEqual(expected());
    }),
  );
});

test.each<readonly [string, Partial<Copy>, Partial<Copy>, boolean]>([
  ["its state", {}, { state: "sent", since: 9 }, true],
  ["since when it has been in its state", {}, { since: 9 }, true],
  ["why it waits", {}, { reason: "mailbox_full" }, true],
  ["that it was delivered", { state: "sent" }, { state: "sent", deliveredAt: 9 }, true],
  ["when it was delivered", { state: "sent", deliveredAt: 8 }, { state: "sent", deliveredAt: 9 }, true],
  [
    "when it was delivered, if it has failed since",
    { state: "failed" },
    { state: "failed", deliveredAt: 9 },
    false,
  ],
  ["when it is due, and how often it was tried", {}, { nextAt: 9, attempts: 9 }, false],
])("whether a copy's log changes with %s", (_, before, after, changes) => {
  const copy = aCopy(message);
  expect(changesLog({ ...copy, ...before }, { ...copy, ...after })).toBe(changes);
  const ofOperator = aCopy(message, { purpose: POSTMASTER });
  expect(changesLog({ ...ofOperator, ...before }, { ...ofOperator, ...after })).toBe(false);
});
