import type { EmailAddress } from "@postern/core";
import type { RelayAnswer } from "@postern/mail";
import { because, reasonOf } from "../cause.ts";
import { problemOf } from "../problem.ts";

/** As a mail server replies to a message that is larger than it takes (RFC 1870, section 6). */
export const TOO_LARGE: RelayAnswer = {
  kind: "refused",
  about: "copy",
  code: 552,
  status: "5.3.4",
  cause: because("larger than SES accepts"),
};

/** What an error means for a copy to this recipient. The status is the one with which a mail server would say the same (RFC 3463). */
export const answerTo = (thrown: unknown, to: EmailAddress): RelayAnswer => {
  const cause = because(reasonOf(thrown));
  const deferred = (
    about: "copy" | "sender" | "connection" | "relay",
    status: string | null,
  ): RelayAnswer => ({ kind: "deferred", about, code: null, status, cause });
  const refused = (status: string): RelayAnswer => ({
    kind: "refused",
    about: "copy",
    code: 554,
    status,
    cause,
  });

  switch (problemOf(thrown, to)) {
    case "unsent":
    case "paused":
    case "not_allowed":
      return deferred("relay", null);
    case "quota_used":
      return deferred("relay", "4.4.5");
    case "throttled":
      // Fewer at the same time can be sent.
      return deferred("connection", "4.4.5");
    case "sender_not_verified":
      return deferred("sender", "5.7.1");
    case "rejected":
      return refused("5.7.1");
    case "invalid":
      return refused("5.6.0");
    case "too_large":
      return TOO_LARGE;
    case "refused":
    case "unclear":
      return deferred("copy", null);
  }
};
