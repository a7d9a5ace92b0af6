import type { RelayAnswer } from "@postern/core/mail";
import { causeOf } from "../cause.ts";
import type { SendFailure } from "../transport.ts";

/** "Authentication required", and its kin (RFC 4954, section 6): the relay refuses us, whichever command it replies to. */
const AUTHENTICATION = [530, 534, 535, 538];
/** The message is larger than the relay accepts (RFC 1870, section 6). */
const TOO_LARGE = 552;

const textOf = (error: unknown, field: "code" | "command" | "response"): string => {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === "string" ? value : "";
};

const replyCode = (error: unknown): number | null => {
  const code = /^[2-5]\d\d(?=[ -]|$)/.exec(textOf(error, "response"))?.[0];
  return code === undefined ? null : Number(code);
};

const enhancedStatus = (error: unknown): string | null =>
  /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?= |\r|\n|$)/.exec(textOf(error, "response"))?.[1] ?? null;

/**
 * What a failure means for a copy.
 *
 * Only a 5yz reply that can be about this copy refuses it: to RCPT, to DATA or to the message. A 5yz before RCPT refuses us,
 * so no copy would fare better; except 552, since the size of the message is declared with MAIL.
 */
export const answerTo = ({ error, reached }: SendFailure): RelayAnswer => {
  const code = replyCode(error);
  const status = enhancedStatus(error);
  const cause = causeOf(error, reached === "data");
  const deferred = (about: "copy" | "relay"): RelayAnswer => ({
    kind: "deferred",
    about,
    code,
    status,
    cause,
  });

  if (reached === "nothing") {
    // Aborted: other messages took so long that no connection became free. The relay itself is not known to be in trouble.
    return deferred(textOf(error, "code") === "EABORT" ? "copy" : "relay");
  }
  const atSender = textOf(error, "command") === "MAIL FROM";
  // nodemailer does not offer a message that is larger than the relay says it accepts, so there is no reply.
  if (atSender && code === null && textOf(error, "code") === "EMESSAGE") {
    const reason = "larger than the server accepts";
    return { kind: "refused", code: TOO_LARGE, status: "5.3.4", cause: { source: "smtp", reason } };
  }
  if (code === null || code < 500) return deferred("copy");
  if (AUTHENTICATION.includes(code)) return deferred("relay");
  if (atSender && code !== TOO_LARGE) return deferred("relay");
  return isReplyToCopy(error) ? { kind: "refused", code, status, cause } : deferred("copy");
};

/** Whether the reply answers a command of this transaction, and not one that nodemailer did not send. */
const isReplyToCopy = (error: unknown): boolean => ["EENVELOPE", "EMESSAGE"].includes(textOf(error, "code"));
