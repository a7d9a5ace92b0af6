import { MAX_HEADER_OCTETS } from "@postern/core/mail";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { admitMessage, type DmarcMode } from "../../src/mail/admission.ts";
import { HeaderFields } from "../../src/mail/header-fields.ts";
import { loopMark, loopMarks } from "../../src/mail/loops.ts";
import { AUTHENTIC, HEADER } from "../support/mail.ts";

const mark = loopMark(testPorts().secrets.hash);
const OTHER_MARK = "0123456789abcdef";

const admit = (
  header: string,
  { dmarc = AUTHENTIC.dmarc, mode = "reject" as DmarcMode, toAlias = true } = {},
) => admitMessage({ header, authentication: { dmarc }, toAlias }, { mark, dmarc: mode });

describe("admitMessage", () => {
  test("returns the fields of what it admits", () => {
    expect(HeaderFields.join(valueOf(admit(HEADER)))).toBe(HEADER);
  });

  test("refuses a header that is too long by one octet", () => {
    const filled = `X: ${"a".repeat(MAX_HEADER_OCTETS - 5)}\r\n`;
    expect(filled).toHaveLength(MAX_HEADER_OCTETS);
    expect(admit(filled).isOk()).toBe(true);
    expect(failureOf(admit(`a${filled}`))).toEqual({ code: "header_too_large" });
  });

  test("refuses the 51st hop, however the name of the field is written", () => {
    const hops = (count: number) => "rEceived : from x\r\n by y\r\n".repeat(count) + HEADER;
    expect(admit(hops(50)).isOk()).toBe(true);
    expect(failureOf(admit(hops(51)))).toEqual({ code: "too_many_hops" });
  });

  test("refuses what this deployment has forwarded before, unless it goes to the operator", () => {
    const marked = `x-postern-loop:\r\n ${mark}\r\n${HEADER}`;
    expect(failureOf(admit(marked))).toEqual({ code: "mail_loop" });
    expect(failureOf(admit(`X-Postern-Loop: ${OTHER_MARK}\r\n${marked}`))).toEqual({ code: "mail_loop" });
    expect(admit(marked, { toAlias: false }).isOk()).toBe(true);
  });

  test("admits what other deployments have forwarded", () => {
    const marked = `X-Postern-Loop: ${OTHER_MARK}\r\nX-Postern-Loop: nonsense\r\n${HEADER}`;
    expect(loopMarks(valueOf(admit(marked)))).toEqual([OTHER_MARK]);
  });

  const verdicts = ["none", "pass", "fail", "softfail", "neutral", "temperror", "permerror"] as const;
  const policies = ["none", "quarantine", "reject"] as const;
  test.each(verdicts.flatMap((verdict) => policies.map((policy) => [verdict, policy] as const)))(
    "DMARC %s with the policy %s is refused only if it is fail and reject, and refusing is wanted",
    (verdict, policy) => {
      const dmarc = { verdict, policy };
      const refused = verdict === "fail" && policy === "reject";
      expect(admit(HEADER, { dmarc }).isErr()).toBe(refused);
      if (refused) expect(failureOf(admit(HEADER, { dmarc }))).toEqual({ code: "sender_not_authentic" });
      expect(admit(HEADER, { dmarc, mode: "ignore" }).isOk()).toBe(true);
    },
  );
});
