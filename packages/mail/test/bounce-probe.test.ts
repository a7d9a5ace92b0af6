import { EmailAddress } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { beginBounceProbe, isAnswer, type ReportMessage } from "@postern/mail";
import { expect, test } from "vitest";
import { unavailable } from "./support/account.ts";
import { address } from "./support/mail.ts";
import { contentOf, useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();
const DOMAIN = EmailAddress.domain(address("a@alias.example"));

const begin = async (changed: Partial<ReturnType<typeof world.spool>> = {}) =>
  beginBounceProbe({ ...world.ports(), spool: { ...world.spool(), ...changed } }, DOMAIN);

/** What the server makes of a message to the address of the probe. */
const received = async (to: string, report: ReportMessage) => {
  const recipient = valueOf(await world.plane().admitRecipient(to));
  if (recipient.kind !== "report") throw new Error("it is not the address of a copy");
  return {
    copy: recipient.copy,
    result: valueOf(await world.plane().recordReport(report)(recipient.copy)),
  };
};

test("the server refuses the message, and records the report about that; nobody else gets anything", async () => {
  const probe = valueOf(await begin());
  const { from, to } = probe.envelope;
  expect(from).toBe(to);
  expect(await world.forward(world.plane())).toMatchObject({ copies: 0 });

  const content = await contentOf(probe.body);
  expect(content).toHaveLength(probe.body.size);
  const refused = await received(to, {
    returnPath: to,
    header: probe.header,
    parts: [{ type: "text/plain", content }],
  });
  expect(isAnswer(refused.result)).toBe(true);
  expect(failureOf(await world.plane().admitAnswer(refused.copy))).toEqual({ code: "not_a_report" });
  expect(valueOf(await probe.hasReturned())).toBe(false);

  const status = `Final-Recipient: rfc822; ${to}\r\nAction: failed\r\nStatus: 5.7.1\r\n`;
  const reported = await received(to, {
    returnPath: "",
    header: "",
    parts: [{ type: "message/delivery-status", content: status }],
  });
  expect(reported.result).toBe("bounced");
  expect(valueOf(await probe.hasReturned())).toBe(true);
  valueOf(await probe.end());
  expect(valueOf(await probe.hasReturned())).toBe(true);
  expect(valueOf(await world.spool().uncounted(10))).toEqual([]);
  expect(await world.queued()).toEqual([]);
});

test("a probe that is given up is not sent later", async () => {
  const probe = valueOf(await begin());
  valueOf(await probe.end());
  expect(valueOf(await probe.hasReturned())).toBe(false);
  expect(await world.queued()).toEqual([]);
});

test("a spool that fails", async () => {
  expect(failureOf(await begin({ keep: unavailable }))).toEqual({ code: "unavailable" });
});
