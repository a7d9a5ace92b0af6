import {
  type CopyId,
  EmailAddress,
  err,
  type MessageId,
  newCopyId,
  newMessageId,
  ok,
  reverseAddress,
} from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { Copy, type DueCopy, type MailPlane, type ReportMessage } from "@postern/mail";
import { describe, expect, test, vi } from "vitest";
import { UNREAD_AN_HOUR } from "../src/delivery-reports/record-report.ts";
import { bounceAddress, copyOfBounceAddress } from "../src/message/bounce-address.ts";
import { messageReference } from "../src/message/message-reference.ts";
import { unavailable } from "./support/account.ts";
import { AUTHENTIC, address } from "./support/mail.ts";
import { contentOf, counted, useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();
const DOMAIN = EmailAddress.domain(address("a@alias.example"));
/** The envelope sender of a copy that this server has sent, or that it may have sent. */
const senderOf = (copy: CopyId | undefined): EmailAddress =>
  bounceAddress(
    world.ports().secrets.hash,
    { copy: copy ?? expect.unreachable("there is a copy"), spool: world.spool().id },
    DOMAIN,
  );

const statusReport = (action: string): ReportMessage => ({
  returnPath: "",
  header: "",
  parts: [{ type: "message/delivery-status", content: `Final-Recipient: x\r\nAction: ${action}\r\n` }],
});
const FAILED = statusReport("failed");

const failedAt = (recipient: string): ReportMessage => ({
  returnPath: "",
  header: "",
  parts: [
    {
      type: "message/delivery-status",
      content: `Reporting-MTA: dns; mx.home.example\r\n\r\nFinal-Recipient: rfc822; ${recipient}\r\nAction: failed\r\nStatus: 5.4.6\r\n`,
    },
  ],
});

const complaint = (enclosed: string): ReportMessage => ({
  returnPath: "fbl@provider.example",
  header: "",
  parts: [
    { type: "message/feedback-report", content: "Feedback-Type: abuse\r\n" },
    { type: "message/rfc822", content: enclosed },
  ],
});

/** The copies of a message to an alias with these recipients, in their order, as if all had been sent. */
const sent = async (mailboxes: readonly string[], changed = {}): Promise<readonly DueCopy[]> => {
  const recipients = [];
  for (const mailbox of mailboxes) recipients.push(await world.recipient(mailbox));
  await world.alias("shop@alias.example", recipients);
  valueOf(await world.plane().receiveMessage(await world.mail(["shop@alias.example"], changed)));
  return sendAll();
};

const sendAll = async () => {
  const due = await world.queued();
  for (const each of due) {
    const settlement = Copy.after(each.copy, { kind: "accepted" }, world.ports().clock.now(), () => 0);
    valueOf(await world.spool().settle(each.copy.id, settlement, null));
  }
  return due;
};

/** The field that names a message as this alias forwarded it. */
const named = (message: MessageId, alias = "shop@alias.example"): string =>
  `X-Postern-Message: ${messageReference(world.ports().secrets.hash, message, address(alias))}\r\n`;

const record = (copy: CopyId | null, report: ReportMessage, plane: MailPlane = world.plane()) =>
  plane.recordReport(report)(copy);

/** The outcomes that have yet to be counted, except `sent`. */
const outcomes = async () =>
  valueOf(await world.spool().uncounted(100))
    .filter(({ event }) => event.outcome !== "sent")
    .map(({ event }) => event.id);

const one = async (changed = {}) => {
  const [due] = await sent(["me@home.example"], changed);
  return due?.copy.id ?? expect.fail("no copy was sent");
};

describe("recordReport", () => {
  test.each([
    ["failed", "bounced"],
    ["delivered", "delivered"],
    ["relayed", "delivered"],
  ])("records once that a copy was %s", async (action, outcome) => {
    const copy = await one();
    expect(valueOf(await record(copy, statusReport(action)))).toBe(outcome);
    expect(valueOf(await record(copy, statusReport(action)))).toBe("duplicate");
    expect(await outcomes()).toEqual([`${copy}:${outcome}`]);
    const [told] = valueOf(await world.spool().uncounted(100)).filter(
      ({ event }) => event.outcome === outcome,
    );
    expect(told?.event.at).toBe(world.ports().clock.now());
    const state = valueOf(await world.spool().find(copy))?.copy.state;
    expect(state).toBe(outcome === "bounced" ? "failed" : "sent");
  });

  test("reads a report to many copies once", async () => {
    const copies = await sent(["me@home.example", "you@home.example", "they@home.example"]);
    let read = 0;
    const recordFor = world.plane().recordReport({
      ...FAILED,
      get parts() {
        read += 1;
        return FAILED.parts;
      },
    });
    for (const { copy } of copies) expect(valueOf(await recordFor(copy.id))).toBe("bounced");
    expect(read).toBe(1);
    expect((await outcomes()).sort()).toEqual(copies.map(({ copy }) => `${copy.id}:bounced`).sort());
  });

  test("records nothing from a report without an outcome", async () => {
    const copy = await one();
    expect(valueOf(await record(copy, statusReport("delayed")))).toBe("delayed");
    expect(valueOf(await record(copy, { returnPath: "", header: "", parts: [] }))).toBe("unknown");
    expect(await outcomes()).toEqual([]);
  });

  test("the operator gets a report that cannot be read, as long as there are few", async () => {
    const copy = await one();
    const plane = world.plane();
    const unread: ReportMessage = { returnPath: "", header: "Subject: ?\r\n", parts: [] };
    for (let n = 0; n < UNREAD_AN_HOUR; n += 1) {
      expect(valueOf(await record(copy, unread, plane))).toBe("unknown");
      world.ports().clock.advance(60_000);
    }
    expect(valueOf(await record(copy, unread, plane))).toBe("dropped");
    expect(valueOf(await record(copy, FAILED, plane))).toBe("bounced");
    // The operator gets what is sent to abuse@ in any case.
    expect(valueOf(await record(null, unread, plane))).toBe("unknown");
    world.ports().clock.advance(60 * 60_000);
    expect(valueOf(await record(copy, unread, plane))).toBe("unknown");
    expect(await outcomes()).toEqual([`${copy}:bounced`]);
  });

  test("the operator gets no report about mail to the operator", async () => {
    await world.received(await world.mail(["postmaster"]));
    const [forOperator] = await sendAll();
    const unread: ReportMessage = { returnPath: "", header: "", parts: [] };
    expect(valueOf(await record(forOperator?.copy.id ?? null, unread))).toBe("dropped");
  });

  test("a mailbox that keeps its copy and forwards it back to the alias has not failed", async () => {
    const copy = await one();
    expect(valueOf(await record(copy, failedAt("shop@alias.example")))).toBe("passed_on");
    expect(await outcomes()).toEqual([]);
    expect(await world.queued()).toEqual([]);
    expect(valueOf(await record(copy, FAILED))).toBe("bounced");
  });

  test("an alias that refuses a reply has failed", async () => {
    const header = (from: string) => ({ returnPath: from, header: `From: ${from}\r\nSubject: Hello\r\n` });
    await one(header("other@alias.example"));
    const { hash } = world.ports().secrets;
    const contact = reverseAddress(hash, address("shop@alias.example"), "other@alias.example");
    valueOf(await world.plane().receiveMessage(await world.mail([contact], header("me@home.example"))));
    const [due] = await sendAll();
    const { id, to } = due?.copy ?? expect.unreachable("the reply was kept");
    expect(to).toBe("other@alias.example");
    expect(valueOf(await record(id, failedAt("other@alias.example")))).toBe("bounced");
  });

  test("records nothing about copies that do not exist", async () => {
    const unknown = newCopyId(() => 0);
    expect(valueOf(await record(unknown, FAILED))).toBe("unknown_copy");
    const forged = complaint(`Return-Path: <${senderOf(unknown)}>\r\n`);
    expect(valueOf(await record(null, forged))).toBe("unknown_copy");
    expect(valueOf(await record(null, complaint(named(newMessageId(() => 0)))))).toBe("unknown_copy");
    expect(valueOf(await record(null, complaint("Subject: x\r\n")))).toBe("unknown_copy");
    expect(valueOf(await record(null, FAILED))).toBe("unknown_copy");
    // The copy may be forgotten between the two calls.
    const copy = await one();
    const forgetting = world.withSpool({ report: async () => ok("unknown") });
    expect(valueOf(await record(copy, FAILED, forgetting))).toBe("unknown_copy");
  });

  test("a complaint to the operator is about the copy that it names", async () => {
    const copy = await one();
    const report = complaint(`Return-Path: <${senderOf(copy)}>\r\n`);
    expect(valueOf(await record(null, report))).toBe("complaint");
    expect(valueOf(await record(copy, report))).toBe("duplicate");
    expect(await outcomes()).toEqual([`${copy}:complaint`]);
  });

  test("a complaint to the address of a copy is about that copy", async () => {
    const [first, second] = await sent(["a@home.example", "b@home.example"]);
    const report = complaint(`Return-Path: <${senderOf(first?.copy.id)}>\r\n`);
    expect(valueOf(await record(second?.copy.id ?? null, report))).toBe("complaint");
    expect(await outcomes()).toEqual([`${second?.copy.id}:complaint`]);
  });

  test("a complaint that names only the message counts for the alias that forwarded it", async () => {
    const home = await world.recipient("me@home.example");
    for (const name of ["one", "two"]) await world.alias(`${name}@alias.example`, [home]);
    const mail = await world.mail(["postmaster", "one@alias.example", "two@alias.example"]);
    const message = await world.received(mail);
    await sendAll();
    const aliases = async () =>
      valueOf(await world.spool().uncounted(100))
        .filter(({ event }) => event.outcome === "complaint")
        .map((told) => ("alias" in told ? told.alias.email : null));
    expect(valueOf(await record(null, complaint(named(message, "Two@alias.example"))))).toBe("complaint");
    expect(await aliases()).toEqual(["two@alias.example"]);
    expect(valueOf(await record(null, complaint(named(message, "two@alias.example"))))).toBe("duplicate");
    expect(valueOf(await record(null, complaint(named(message, "one@alias.example"))))).toBe("complaint");
    expect(await aliases()).toEqual(["two@alias.example", "one@alias.example"]);
  });

  test("nobody can complain without having what the alias forwarded", async () => {
    const home = await world.recipient("me@home.example");
    for (const name of ["one", "two"]) await world.alias(`${name}@alias.example`, [home]);
    const mail = await world.mail(["postmaster", "one@alias.example", "two@alias.example"]);
    const message = await world.received(mail);
    await sendAll();
    const guesses = [
      // What its sender is told, and what the recipients of other aliases and the operator can derive from their copies.
      message,
      named(message, "three@alias.example"),
      named(message, "postmaster@alias.example"),
      named(
        newMessageId(() => 0),
        "one@alias.example",
      ),
      `${message}-${newMessageId(() => 0)}`,
      // What a recipient of the alias knows from an earlier message.
      named(
        newMessageId(() => 0),
        "one@alias.example",
      ).replace(
        newMessageId(() => 0),
        message,
      ),
    ];
    for (const guess of guesses) {
      const field = guess.startsWith("X-") ? guess : `X-Postern-Message: ${guess}\r\n`;
      const report = complaint(`${field}X-Postern-Alias: one@alias.example\r\n`);
      expect(valueOf(await record(null, report))).toBe("unknown_copy");
    }
    expect(await outcomes()).toEqual([]);
  });

  test("is unavailable if the spool is, but not because it is full", async () => {
    const copy = await one();
    const full = async () => err({ code: "spool_full" } as const);
    const byReference = complaint(named(newMessageId(() => 0)));
    expect(failureOf(await record(copy, FAILED, world.withSpool({ find: unavailable })))).toEqual({
      code: "unavailable",
    });
    expect(failureOf(await record(copy, FAILED, world.withSpool({ report: unavailable })))).toEqual({
      code: "unavailable",
    });
    expect(failureOf(await record(null, byReference, world.withSpool({ findAll: unavailable })))).toEqual({
      code: "unavailable",
    });
    expect(await outcomes()).toEqual([]);
    expect(failureOf(await record(copy, FAILED, world.withSpool({ report: full })))).toMatchObject({
      code: "unavailable",
      cause: { source: "mail" },
    });
    const plane = world.withSpool({ receive: full, keep: full });
    expect(valueOf(await record(copy, FAILED, plane))).toBe("bounced");
  });
});

describe("the sender of a message", () => {
  test("is told once that it reached nobody, when the last copy has failed", async () => {
    const copies = await sent(["a@home.example", "b@home.example"]);
    const [first, second] = copies.map(({ copy }) => copy.id);
    valueOf(await record(first ?? null, FAILED));
    expect(await world.queued()).toEqual([]);
    valueOf(await record(second ?? null, FAILED));
    valueOf(await record(second ?? null, FAILED));
    const [notice, ...others] = await world.queued();
    expect(others).toEqual([]);
    expect(notice?.copy).toMatchObject({
      to: "bob@sender.example",
      purpose: { kind: "notice", alias: null },
      state: "queued",
    });
    const text = `${notice?.message.header}\r\n${notice && (await contentOf(notice.body))}`;
    expect(notice?.message.size).toBe(text.length);
    const now = world.ports().clock.now();
    expect([notice?.message.createdAt, notice?.copy.nextAt]).toEqual([now, now]);
    expect(notice?.message.origin).toBe("own");
    expect(text).toContain("shop@alias.example");
    expect(text).not.toContain("home.example");
    for (const copy of copies) expect(text).not.toContain(copy.copy.id);
  });

  test.each([[["before"]], [["before", "before"]], [["before", "after"]], [["after", "before"]]] as const)(
    "gets one notice, whether the reports come %s the relay's acceptance is stored",
    async (times) => {
      const recipients = [];
      for (const n of times.keys()) recipients.push(await world.recipient(`${n}@home.example`));
      const alias = await world.alias("shop@alias.example", recipients);
      valueOf(await world.plane().receiveMessage(await world.mail(["shop@alias.example"])));
      const late: CopyId[] = [];
      const plane = world.plane({
        relay: {
          send: async ({ envelope: { from, to } }) => {
            const copy = from === null ? null : copyOfBounceAddress(from);
            if (copy === null) return expect.fail("a notice was sent");
            if (times[Number(to[0])] === "after") late.push(copy);
            else expect(valueOf(await record(copy, FAILED, plane))).toBe("bounced");
            return { kind: "accepted" };
          },
        },
      });
      valueOf(await plane.forwardCopies());
      await plane.finishForwarding();
      for (const copy of late) expect(valueOf(await record(copy, FAILED, plane))).toBe("bounced");
      expect((await world.queued()).map(({ copy }) => copy.to)).toEqual(["bob@sender.example"]);
      valueOf(await plane.countOutcomes());
      expect(counted(await world.tallies(alias))).toEqual({ sent: times.length, bounced: times.length });
    },
  );

  test.each([
    [
      "is not verified",
      { authentication: { ...AUTHENTIC, spf: "none", dmarc: { verdict: "none", policy: "none" } } },
    ],
    ["is the null sender", { returnPath: "" }],
  ])("is not told if it %s", async (_, changed) => {
    const copy = await one(changed);
    expect(valueOf(await record(copy, FAILED))).toBe("bounced");
    expect(await world.queued()).toEqual([]);
  });

  test("is not told if notices are off, or if the message was delivered", async () => {
    const copy = await one();
    expect(valueOf(await record(copy, FAILED, world.plane({ notices: "never" })))).toBe("bounced");
    expect(valueOf(await record(copy, statusReport("delivered")))).toBe("delivered");
    expect(await world.queued()).toEqual([]);
  });

  test("a notice that fails, and mail for the operator that fails, cause no notice", async () => {
    const copy = await one();
    valueOf(await record(copy, FAILED));
    const [notice] = await sendAll();
    expect(valueOf(await record(notice?.copy.id ?? null, FAILED))).toBe("bounced");
    valueOf(await world.plane().receiveMessage(await world.mail(["postmaster"])));
    const [forOperator] = await sendAll();
    expect(valueOf(await record(forOperator?.copy.id ?? null, FAILED))).toBe("bounced");
    expect(await world.queued()).toEqual([]);
    expect(await outcomes()).toEqual([`${copy}:bounced`]);
  });

  test("a message of our own has no sender to tell", async () => {
    const copy = await one();
    valueOf(await record(copy, FAILED));
    const [notice] = await world.queued();
    const found = valueOf(await world.spool().find(copy));
    if (found === null || notice === undefined) expect.fail("nothing is queued");
    const report = vi.fn(world.spool().report);
    const find = async () => ok({ copy: found.copy, message: notice.message });
    const own = world.withSpool({ find, report });
    expect(valueOf(await record(copy, FAILED, own))).toBe("duplicate");
    expect(report.mock.calls.map((call) => call.at(-1))).toEqual([null]);
  });
});
