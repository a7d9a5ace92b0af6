import { memorySpool } from "@postern/adapter-memory";
import { type CopyId, EmailAddress, err, newCopyId, type Store } from "@postern/core";
import { markOfSpool } from "@postern/core/operations";
import type { HandedReport } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import type { MailPlane, MailPlanePorts, ReportMessage, ReportResult, Spool } from "@postern/mail";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { KEPT_FOR_A_SPOOL } from "../src/delivery-reports/hand-over.ts";
import { bounceAddress, copyOfBounceAddress } from "../src/message/bounce-address.ts";
import { messageReference } from "../src/message/message-reference.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { address } from "./support/mail.ts";
import { counted, useMailPlane } from "./support/use-mail-plane.ts";

/* Reports of delivery that reach a server that did not send the copy: the world's server has sent it, and another one gets the report. */

const world = useMailPlane();
const SHOP = "shop@alias.example";
const DOMAIN = EmailAddress.domain(address(SHOP));

const statusReport = (recipient: string, ...fields: readonly string[]): ReportMessage => ({
  returnPath: "",
  header: "",
  parts: [
    {
      type: "message/delivery-status",
      content: ["Reporting-MTA: dns; x", "", `Final-Recipient: rfc822; ${recipient}`, ...fields, ""].join(
        "\r\n",
      ),
    },
  ],
});
const FAILED = statusReport("me@home.example", "Action: failed", "Status: 5.2.2");
const DELIVERED = statusReport("me@home.example", "Action: delivered", "Status: 2.0.0");
const complaint = (...enclosed: readonly string[]): ReportMessage => ({
  returnPath: "fbl@provider.example",
  header: "",
  parts: [
    { type: "message/feedback-report", content: "Feedback-Type: abuse\r\n" },
    { type: "message/rfc822", content: enclosed.map((line) => `${line}\r\n`).join("") },
  ],
});

/** The spool of the server that gets reports about copies of others. */
let otherSpool: Spool;
beforeEach(() => {
  otherSpool = memorySpool({ limit: 10_000_000 });
});
const other = (changed: Partial<MailPlanePorts> = {}): MailPlane =>
  world.plane({ spool: otherSpool, ...changed });
const withReports = (changed: Partial<Store["handedReports"]>): Partial<MailPlanePorts> => ({
  store: { ...world.store(), handedReports: { ...world.store().handedReports, ...changed } },
});

/** Sends a message to the alias. Returns the alias, and the envelope sender of its copy. */
const sent = async () => {
  const alias = await world.alias(SHOP, [await world.recipient("me@home.example")]);
  await world.received(await world.mail([SHOP]));
  await world.forward(world.plane());
  const from = world.relay().sent.at(-1)?.envelope.from ?? expect.unreachable("a copy was sent");
  const copy = copyOfBounceAddress(from) ?? expect.unreachable("it is one of ours");
  return { alias, from, copy };
};

/** What becomes of a report that is sent to this address, as it does with SMTP. */
const report = async (plane: MailPlane, to: string, message: ReportMessage) => {
  const admitted = valueOf(await plane.admitRecipient(to));
  if (admitted.kind === "postmaster") return plane.recordReport(message)(null);
  if (admitted.kind !== "report") return expect.unreachable("it is for reports");
  return plane.recordReport(message)(admitted.copy, admitted.elsewhere);
};

const UNKNOWN: CopyId = newCopyId(() => 0);
/** The address of a copy that the world's server could have sent. */
const unknownSender = (): EmailAddress =>
  bounceAddress(world.ports().secrets.hash, { copy: UNKNOWN, spool: world.spool().id }, DOMAIN);

/** What is kept for the world's server. */
const kept = async (): Promise<readonly HandedReport[]> =>
  valueOf(await world.store().handedReports.list(markOfSpool(world.spool().id), 10_000));

const stateOf = async (copy: CopyId) => valueOf(await world.spool().find(copy))?.copy;

const tallies = async (alias: string) => {
  valueOf(await world.plane().countOutcomes());
  return counted(await world.tallies(alias));
};

describe("a report that reaches another server", () => {
  test("is kept for the server that sent the copy, which records it as if it had come there", async () => {
    const { alias, from, copy } = await sent();
    expect(valueOf(await report(other(), from, FAILED))).toBe("handed_over");
    expect(await kept()).toEqual([
      {
        spool: world.spool().id.slice(0, 8),
        copy,
        outcome: "bounced",
        onlyIfToAlias: false,
        reason: "mailbox_full",
        at: world.ports().clock.now(),
      },
    ]);
    expect((await stateOf(copy))?.state).toBe("sent");
    expect(valueOf(await other().recordHandedReports())).toBe(0);

    world.ports().clock.advance(60_000);
    expect(valueOf(await world.plane().recordHandedReports())).toBe(1);
    const since = world.ports().clock.now();
    expect(await stateOf(copy)).toMatchObject({ state: "failed", reason: "mailbox_full", since });
    expect((await world.queued()).map((notice) => notice.copy.purpose.kind)).toEqual(["notice"]);
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 1 });
    expect(await kept()).toEqual([]);
    expect(valueOf(await world.plane().recordHandedReports())).toBe(0);
  });

  test("is kept by the mail plane's own loop, with what is waiting for it", async () => {
    const { copy, from, alias } = await sent();
    valueOf(await report(other(), from, DELIVERED));
    const plane = world.plane();
    plane.run();
    await expect.poll(async () => (await stateOf(copy))?.deliveredAt).toEqual(expect.any(Number));
    await plane.stop();
    expect(counted(await world.tallies(alias))).toEqual({ sent: 1, delivered: 1 });
  });

  test("that says nothing to count changes nothing, as on the server itself", async () => {
    const { from } = await sent();
    for (const [expected, message] of [
      ["delayed", statusReport("me@home.example", "Action: delayed")],
      ["expanded", statusReport("me@home.example", "Action: expanded")],
      ["passed_on", statusReport(SHOP, "Action: delayed")],
      ["other_feedback", { ...complaint(), parts: [{ type: "message/feedback-report", content: "" }] }],
    ] as const satisfies readonly (readonly [ReportResult, ReportMessage])[]) {
      const here = valueOf(await report(world.plane(), from, message));
      expect(here).toBe(expected);
      const there = valueOf(await report(other(), from, message));
      // Whether it is about an alias that the copy was sent to makes no difference to this.
      expect(there).toBe(expected === "passed_on" ? "delayed" : expected);
    }
    expect(await kept()).toEqual([]);
  });

  test.each<[string, ReportMessage]>([
    [
      "a report that cannot be read",
      { returnPath: "", header: "From: mailer-daemon@x.example\r\n", parts: [] },
    ],
    [
      "an automatic reply",
      { returnPath: "", header: "Auto-Submitted: auto-replied\r\nFrom: a@b.example\r\n", parts: [] },
    ],
    [
      "a receipt",
      {
        returnPath: "",
        header: "From: a@b.example\r\n",
        parts: [{ type: "message/disposition-notification", content: "" }],
      },
    ],
    ["a message from somebody", { returnPath: "a@b.example", header: "From: a@b.example\r\n", parts: [] }],
  ])("and is %s is for the server that sent the copy", async (_, message) => {
    const { from } = await sent();
    expect(valueOf(await report(other(), from, message))).toBe("elsewhere");
    expect(await kept()).toEqual([]);
  });

  test("counts for a copy to an alias, and for no other, if it is about an alias", async () => {
    const { alias, from } = await sent();
    const refused = statusReport("other@alias.example", "Action: failed", "Status: 5.2.1");
    const toAlias = {
      returnPath: "other@alias.example",
      header: "From: other@alias.example\r\nSubject: Hi\r\n",
    };
    await world.received(await world.mail([SHOP], toAlias));
    const [contact] = valueOf(
      await world.service().listContacts({ account: ACCOUNT, aliasId: alias }),
    ).items.filter(({ email }) => email === "other@alias.example");
    const reply = { returnPath: "me@home.example", header: "From: me@home.example\r\nSubject: Hi\r\n" };
    await world.received(await world.mail([contact?.reverseAddress ?? ""], reply));
    await world.forward(world.plane());
    const replied = world.relay().sent.find(({ envelope }) => envelope.to === "other@alias.example");
    const repliedFrom = replied?.envelope.from ?? expect.unreachable("the reply was sent");
    for (const to of [from, repliedFrom]) {
      expect(valueOf(await report(other(), to, refused))).toBe("handed_over");
    }
    expect((await kept()).map(({ onlyIfToAlias }) => onlyIfToAlias)).toEqual([true, true]);
    expect(valueOf(await world.plane().recordHandedReports())).toBe(2);
    const states = [];
    for (const to of [from, repliedFrom]) {
      states.push((await stateOf(copyOfBounceAddress(to) ?? UNKNOWN))?.state);
    }
    expect(states).toEqual(["sent", "failed"]);
    expect(await kept()).toEqual([]);
  });

  test("and is a complaint to the operator counts if it names the copy with its address", async () => {
    const { alias, from, copy } = await sent();
    const message = valueOf(await world.spool().find(copy))?.copy.message ?? expect.unreachable();
    const { hash } = world.ports().secrets;
    const named = `X-Postern-Message: ${messageReference(hash, message, address(SHOP))}`;
    for (const [expected, enclosed] of [
      ["handed_over", `Return-Path: <${from}>`],
      ["unknown_copy", `Return-Path: <b-${copy}@alias.example>`],
      ["unknown_copy", named],
      ["unknown_copy", "Subject: x"],
    ] as const) {
      expect(valueOf(await report(other(), "abuse@alias.example", complaint(enclosed)))).toBe(expected);
    }
    expect(valueOf(await world.plane().recordHandedReports())).toBe(1);
    expect(await tallies(alias)).toEqual({ sent: 1, complaint: 1 });
  });

  test("about a copy that its server has forgotten says nothing", async () => {
    const from = unknownSender();
    expect(valueOf(await report(other(), from, FAILED))).toBe("handed_over");
    expect(valueOf(await world.plane().recordHandedReports())).toBe(1);
    expect(await kept()).toEqual([]);
    expect(valueOf(await world.spool().uncounted(10))).toEqual([]);
  });

  test("is refused for the time being if the store does not keep it, or keeps too many", async () => {
    const { from } = await sent();
    for (const name of ["list", "handOver"] as const) {
      const plane = other(withReports({ [name]: unavailable }));
      expect(failureOf(await report(plane, from, FAILED))).toEqual({ code: "unavailable" });
    }
    const spool = markOfSpool(world.spool().id);
    for (let n = 0; n < KEPT_FOR_A_SPOOL; n += 1) {
      const one = newCopyId(world.ports().secrets.random);
      const each = { copy: one, outcome: "delivered", onlyIfToAlias: false, reason: null, at: n } as const;
      valueOf(await world.store().handedReports.handOver({ spool, ...each }));
    }
    expect(failureOf(await report(other(), from, FAILED))).toMatchObject({
      cause: { reason: "too many reports wait for another mail server" },
    });
    // The server with the copies does not take long.
    for (let pass = 0; pass < 10; pass += 1) {
      expect(valueOf(await world.plane().recordHandedReports())).toBe(100);
    }
    expect(valueOf(await report(other(), from, FAILED))).toBe("handed_over");
  });

  test("holds up no other if it cannot be recorded, and is recorded later", async () => {
    const { alias, from } = await sent();
    valueOf(await report(other(), unknownSender(), FAILED));
    valueOf(await report(other(), from, FAILED));
    const isKnown = async (copy: CopyId) => (copy === UNKNOWN ? unavailable() : world.spool().find(copy));
    for (const plane of [
      world.withSpool({ find: isKnown }),
      world.plane(withReports({ list: unavailable })),
    ]) {
      expect(failureOf(await plane.recordHandedReports())).toEqual({ code: "unavailable" });
    }
    expect((await kept()).map(({ copy }) => copy)).toEqual([UNKNOWN]);
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 1 });
    valueOf(await world.plane().recordHandedReports());
    valueOf(await report(other(), await sentAgain(), FAILED));
    const withoutRoom = world.withSpool({ report: async () => err({ code: "spool_full" }) });
    expect(failureOf(await withoutRoom.recordHandedReports()).code).toBe("unavailable");
    expect(await kept()).toHaveLength(1);
    expect(valueOf(await world.plane().recordHandedReports())).toBe(1);
    expect(await tallies(alias)).toEqual({ sent: 2, bounced: 2 });
  });
});

/** Sends another message to the alias. Returns the envelope sender of its copy. */
const sentAgain = async (): Promise<string> => {
  await world.received(await world.mail([SHOP]));
  await world.forward(world.plane());
  const last = world.relay().sent.findLast(({ envelope }) => envelope.from !== null);
  return last?.envelope.from ?? expect.unreachable("a copy was sent");
};

async function* chunks() {
  yield Buffer.from("Hello\r\n");
}

const SAYS = {
  failed: FAILED,
  delivered: DELIVERED,
  complaint: complaint(),
} as const;
const OUTCOMES = { failed: "bounced", delivered: "delivered", complaint: "complaint" } as const;

describe("with two servers", () => {
  test("each outcome is counted exactly once, whichever server its reports reach, and whatever fails", async () => {
    const server = fc.constantFrom(0, 1);
    const reporting = fc.record({
      kind: fc.constant("report" as const),
      server,
      copy: fc.nat(3),
      says: fc.constantFrom("failed", "delivered", "complaint"),
      /** Whether the store keeps it although it says that it has not: the mail server sends it again. */
      fault: fc.constantFrom(null, null, "answer lost", "not kept"),
    });
    const recording = fc.record({
      kind: fc.constant("record" as const),
      server,
      /** Whether the process ends once it has recorded each report: before it is removed, or before it learns that it is. */
      fault: fc.constantFrom(null, null, "not removed", "answer lost"),
    });
    const waiting = fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(2) });
    const recipientIds = [await world.recipient("a@home.example"), await world.recipient("b@home.example")];
    let run = 0;
    const commands = fc.array(fc.oneof(reporting, reporting, recording, waiting), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        run += 1;
        const alias = `shop-${run}@alias.example`;
        const id = await world.alias(alias, recipientIds);
        const store = world.store();
        const spools = [world.spool(), otherSpool];
        const planeOf = (n: number, handedReports = store.handedReports) =>
          world.plane({ store: { ...store, handedReports }, ...(n === 1 && { spool: otherSpool }) });
        const before = world.relay().sent.length;
        await world.received(await world.mail([alias]), planeOf(0));
        await world.forward(planeOf(0));
        const body = valueOf(await otherSpool.receive(chunks()));
        await world.received({ ...(await world.mail([alias])), body }, planeOf(1));
        await world.forward(planeOf(1));
        const senders = world
          .relay()
          .sent.slice(before)
          .map(({ envelope }) => envelope.from ?? "");
        expect(senders).toHaveLength(4);

        const lost = async (answer: Promise<unknown>) => {
          await answer;
          return unavailable();
        };
        const said = new Set<string>();
        for (const step of steps) {
          const { handedReports } = store;
          switch (step.kind) {
            case "wait":
              world.ports().clock.advance(step.ms);
              break;
            case "record": {
              const { finish } = handedReports;
              const failing = {
                "not removed": unavailable,
                "answer lost": (each: HandedReport) => lost(finish(each)),
              };
              const changed = step.fault && { ...handedReports, finish: failing[step.fault] };
              await planeOf(step.server, changed ?? handedReports).recordHandedReports();
              break;
            }
            case "report": {
              const failing = {
                "not kept": unavailable,
                "answer lost": (each: HandedReport) => lost(handedReports.handOver(each)),
              };
              const changed = step.fault && { ...handedReports, handOver: failing[step.fault] };
              const to = senders[step.copy] ?? "";
              const first = await report(planeOf(step.server, changed ?? handedReports), to, SAYS[step.says]);
              // What is not accepted is sent again, perhaps to the other server.
              if (first.isErr()) valueOf(await report(planeOf(step.copy % 2), to, SAYS[step.says]));
              said.add(`${step.copy}:${OUTCOMES[step.says]}`);
            }
          }
        }
        for (const n of [0, 1]) {
          valueOf(await planeOf(n).recordHandedReports());
          expect(valueOf(await planeOf(n).recordHandedReports())).toBe(0);
          valueOf(await planeOf(n).countOutcomes());
        }
        const expected: Record<string, number> = { sent: 4 };
        for (const each of said) {
          const [, outcome = ""] = each.split(":");
          expected[outcome] = (expected[outcome] ?? 0) + 1;
        }
        expect(counted(await world.tallies(id))).toEqual(expected);
        for (const [n, spool] of spools.entries()) {
          const own = [2 * n, 2 * n + 1];
          for (const copy of own) {
            const copyId = copyOfBounceAddress(address(senders[copy] ?? "")) ?? UNKNOWN;
            const found = valueOf(await spool.find(copyId));
            const failed = said.has(`${copy}:bounced`);
            expect(found?.copy).toMatchObject({ state: failed ? "failed" : "sent" });
            expect(found?.copy.deliveredAt !== null).toBe(said.has(`${copy}:delivered`));
          }
          const notices = valueOf(await spool.take(Number.MAX_SAFE_INTEGER, 10, [])).copies;
          const isLost = own.every((copy) => said.has(`${copy}:bounced`));
          expect(notices.map(({ copy }) => copy.purpose.kind)).toEqual(isLost ? ["notice"] : []);
        }
      }),
      { numRuns: 60 },
    );
  });
});
