import type { EmailAddress, MailRefused, NotSent, Unavailable } from "@postern/core";
import { because, reasonOf } from "./cause.ts";
import { problemOf } from "./problem.ts";

export type SendFailure = NotSent | MailRefused | Unavailable;

/**
 * What an error means for a verification message to this recipient. No refusal is `permanent`: SES has not asked the recipient's server.
 */
export const failureOf = (thrown: unknown, to: EmailAddress): SendFailure => {
  const cause = because(reasonOf(thrown));
  switch (problemOf(thrown, to)) {
    case "unsent":
    case "throttled":
    case "refused":
      return { code: "not_sent", cause };
    case "quota_used":
    case "paused":
      return { code: "not_sent", refusal: "sending_paused", cause };
    case "not_allowed":
    case "sender_not_verified":
      return { code: "not_sent", refusal: "sender_refused", cause };
    case "rejected":
    case "invalid":
    case "too_large":
      return { code: "mail_refused", permanent: false, refusal: "message_rejected", cause };
    case "unclear":
      return { code: "unavailable", cause };
  }
};
