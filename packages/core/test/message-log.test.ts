import {
  compareIds,
  FAILURE_REASONS,
  failureReason,
  LOG_RETENTION,
  LoggedMessage,
  MAX_SUBJECT_LENGTH,
  ok,
  parseAccountId,
  parseAliasId,
  parseCopyId,
  parseMessageId,
  parseSpoolMark,
} from "@postern/core";
import {
  type HandedReport,
  parseHandedReport,
  parseLoggedMessage,
  parseMessagePosition,
  parseResend,
  partsOfMessagePosition,
  type Resend,
} from "@postern/core/store";
import { failureOf, testBody, testMessage, valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const alias = { account: valueOf(parseAccountId("account")), id: valueOf(parseAliasId("alias")) };
const messageId = fc.stringMatching(/^[a-z2-7]{26}$/).map((id) => valueOf(parseMessageId(id)));
const place = fc.record({ id: messageId, at: fc.maxSafeNat() });

describe("the position of a logged message", () => {
  test("consists of its time and its id, and is read back", () => {
    fc.assert(
      fc.property(place, (message) => {
        const position = LoggedMessage.position(message);
        expect(parseMessagePosition(position)).toEqual(ok(position));
        expect(partsOfMessagePosition(position)).toEqual(message);
      }),
    );
  });

  test("is greater for a later message, and for a greater id at the same time", () => {
    fc.assert(
      fc.property(place, place, fc.boolean(), (one, other, same) => {
        const two = same ? { ...other, at: one.at } : other;
        const order = one.at - two.at || compareIds(one.id, two.id);
        const positions = compareIds(LoggedMessage.position(one), LoggedMessage.position(two));
        expect(Math.sign(positions)).toBe(Math.sign(order));
      }),
    );
  });

  test.each(["", "1".repeat(16), "a".repeat(26), `${"1".repeat(15)}${"a".repeat(26)}`, 7])(
    "is not %j",
    (text) => {
      expect(failureOf(parseMessagePosition(text))).toMatchObject({
        code: "invalid_request",
        issues: [{ reason: expect.stringMatching(/^must be (that of a logged message|a string)/) }],
      });
    },
  );
});

test("a logged message expires 30 days after it arrived", () => {
  const { at } = testMessage(alias);
  expect(LOG_RETENTION).toBe(30 * 24 * 3_600_000);
  expect(LoggedMessage.isOver({ at }, at + LOG_RETENTION - 1)).toBe(false);
  expect(LoggedMessage.isOver({ at }, at + LOG_RETENTION)).toBe(true);
});

describe("parseLoggedMessage", () => {
  const message = testMessage(alias, { subject: "x".repeat(MAX_SUBJECT_LENGTH) });

  test("reads back what was written as JSON, without unknown fields", () => {
    const json: object = JSON.parse(JSON.stringify(message));
    expect(parseLoggedMessage({ ...json, body: "secret" })).toEqual(ok(message));
  });

  test("reads what earlier versions wrote, which logged each message by itself, and none that unsubscribed", () => {
    const { count: _, unsubscribesFrom: __, ...earlier } = { ...message, count: 2 };
    expect(parseLoggedMessage(earlier)).toEqual(ok({ ...message, count: 1 }));
  });

  test.each(Object.keys(message).filter((field) => field !== "count" && field !== "unsubscribesFrom"))(
    "rejects data without %s",
    (field) => {
      const { [field]: _, ...rest }: Record<string, unknown> = message;
      expect(failureOf(parseLoggedMessage(rest))).toMatchObject({ issues: [{ path: [field] }] });
    },
  );

  test.each([
    ["id", "short"],
    ["at", -1],
    ["direction", "forwarded"],
    ["contact", "nobody"],
    ["size", 1.5],
    ["subject", "x".repeat(MAX_SUBJECT_LENGTH + 1)],
    // Not every store can keep these.
    ["subject", "half \ud800 a character"],
    ["subject", "nul \u0000"],
    ["blocked", "other"],
    ["copies", [{ ...message.copies[0], state: "failed" }]],
    ["copies", [{ ...message.copies[0], reason: "550 no such user" }]],
    ["unsubscribesFrom", "short"],
    ["revision", 0],
  ])("rejects the %s %j", (field, value) => {
    expect(failureOf(parseLoggedMessage({ ...message, [field]: value }))).toMatchObject({
      issues: [{ path: expect.arrayContaining([field]) }],
    });
  });
});

describe("a request to send a message again", () => {
  const resend: Resend = {
    spool: testBody(0).spool,
    account: alias.account,
    alias: alias.id,
    message: testMessage(alias).id,
    at: 1,
  };

  test("reads back what was written as JSON, without unknown fields", () => {
    const json: object = JSON.parse(JSON.stringify(resend));
    expect(parseResend({ ...json, unknown: 1 })).toEqual(ok(resend));
  });

  test.each(Object.keys(resend))("needs %s", (field) => {
    const { [field]: _, ...rest }: Record<string, unknown> = resend;
    expect(failureOf(parseResend(rest))).toMatchObject({ issues: [{ path: [field] }] });
  });

  test.each([{ spool: "short" }, { message: "short" }, { at: -1 }, { at: 1.5 }])(
    "cannot have %j",
    (wrong) => {
      expect(parseResend({ ...resend, ...wrong }).isErr()).toBe(true);
    },
  );
});

describe("a report for another server", () => {
  const report: HandedReport = {
    spool: valueOf(parseSpoolMark("a".repeat(8))),
    copy: valueOf(parseCopyId("c".repeat(26))),
    outcome: "bounced",
    onlyIfToAlias: true,
    reason: "mailbox_full",
    at: 1,
  };

  test("reads back what was written as JSON, without unknown fields", () => {
    const json: object = JSON.parse(JSON.stringify(report));
    expect(parseHandedReport({ ...json, unknown: 1 })).toEqual(ok(report));
  });

  test.each(Object.keys(report))("needs %s", (field) => {
    const { [field]: _, ...rest }: Record<string, unknown> = report;
    expect(failureOf(parseHandedReport(rest))).toMatchObject({ issues: [{ path: [field] }] });
  });

  test.each([
    { spool: "a".repeat(26) },
    { spool: 1 },
    { copy: "short" },
    { outcome: "sent" },
    { onlyIfToAlias: 1 },
    { reason: "550 no such user" },
    { at: -1 },
  ])("cannot have %j", (wrong) => {
    expect(parseHandedReport({ ...report, ...wrong }).isErr()).toBe(true);
  });
});

describe("the reason of a failure", () => {
  test.each([
    [550, "5.1.1", "mailbox_unknown"],
    [550, "5.1.10", "mailbox_unknown"],
    [450, "4.1.2", "unreachable"],
    [550, "5.1.2", "mailbox_unknown"],
    [550, "5.1.8", "refused_by_policy"],
    [450, "4.1.8", "refused_by_policy"],
    [550, "5.2.0", "other"],
    [550, "5.2.1", "mailbox_disabled"],
    [552, "5.2.2", "mailbox_full"],
    [452, "4.2.2", "mailbox_full"],
    [552, "5.2.3", "message_too_large"],
    [421, "4.3.2", "unreachable"],
    [552, "5.3.4", "message_too_large"],
    [null, "4.4.7", "unreachable"],
    [550, "5.7.1", "refused_by_policy"],
    [550, "5.7.26", "refused_by_policy"],
    [554, "5.6.0", "other"],
    [550, "5.5.0", "other"],
    // Without a code, only the status gives the reason.
    ...(
      [
        ["5.1.7", "refused_by_policy"],
        ["5.1.8", "refused_by_policy"],
        ["5.1.9", "refused_by_policy"],
        ["4.1.7", "refused_by_policy"],
        ["4.1.8", "refused_by_policy"],
        ["4.1.9", "refused_by_policy"],
        ["4.2.1", "mailbox_disabled"],
        ["4.2.3", "message_too_large"],
        ["5.2.3", "message_too_large"],
        ["4.3.2", "unreachable"],
        ["5.3.2", "unreachable"],
        ["4.3.4", "message_too_large"],
        ["5.3.4", "message_too_large"],
      ] as const
    ).map(([status, reason]) => [null, status, reason] as const),
    // The code counts where the status says nothing.
    [552, "5.0.0", "other"],
    [421, null, "unreachable"],
    [550, null, "other"],
    [551, null, "mailbox_unknown"],
    [552, null, "other"],
    [553, null, "mailbox_unknown"],
    [554, null, "other"],
    [556, null, "mailbox_unknown"],
    [451, null, "other"],
    [null, null, "other"],
    [null, "", "other"],
    [550, "nonsense", "other"],
  ] as const)("for code %j and status %j is %s", (code, status, reason) => {
    expect(failureReason(code, status)).toBe(reason);
  });

  test("is one of the documented reasons, whatever a server says", () => {
    const code = fc.option(fc.integer({ min: 200, max: 599 }));
    const status = fc.option(fc.oneof(fc.stringMatching(/^[245]\.\d{1,3}\.\d{1,3}$/), fc.string()));
    fc.assert(
      fc.property(code, status, (...said) => {
        expect(FAILURE_REASONS).toContain(failureReason(...said));
      }),
    );
  });
});
