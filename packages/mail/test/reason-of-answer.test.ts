import { type RelayAnswer, reasonOfAnswer } from "@postern/mail";
import { expect, test } from "vitest";

test.each([
  // Our own password is wrong, so this is nobody else's policy.
  [{ kind: "deferred", about: "relay", code: 535, status: "5.7.8" }, "relay_unavailable"],
  [{ kind: "deferred", about: "relay", code: null, status: null }, "relay_unavailable"],
  [{ kind: "deferred", about: "sender", code: 550, status: "5.7.1" }, "relay_unavailable"],
  [{ kind: "deferred", about: "connection", code: 421, status: null }, "relay_unavailable"],
  [{ kind: "refused", about: "sender", code: 501, status: null }, "relay_unavailable"],
  [{ kind: "deferred", about: "copy", code: null, status: null }, "unreachable"],
  [{ kind: "deferred", about: "copy", code: 452, status: "4.2.2" }, "mailbox_full"],
  [{ kind: "refused", about: "copy", code: 550, status: "5.1.1" }, "mailbox_unknown"],
] satisfies readonly (readonly [RelayAnswer, string])[])("of %j is %s", (answer, reason) => {
  expect(reasonOfAnswer(answer)).toBe(reason);
});
