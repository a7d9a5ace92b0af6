import { type Envelope, type RelayAnswer, statusInWords } from "@postern/mail";
import { causeOf } from "../cause.ts";
import type { SendFailure } from "../transport.ts";

/** "Authentication required", and its kin (RFC 4954, section 6). */
const AUTHENTICATION = [530, 534, 535, 538];
/** The message is larger than the relay accepts (RFC 1870, section 6). */
const TOO_LARGE = 552;

const textOf = (error: unknown, field: "code" | "originalCode" | "command" | "response"): string => {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === "string" ? value : "";
};

const replyCode = (error: unknown): number | null => {
  const code = /^[2-5]\d\d(?=[ -]|$)/.exec(textOf(error, "response"))?.[0];
  return code === undefined ? null : Number(code);
};

const enhancedStatus = (error: unknown): string | null => {
  const response = textOf(error, "response");
  const [, status] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?= |\r|\n|$)/.exec(response) ?? [];
  return statusInWords(status ?? null, response);
};

/**
 * Whether the server is not letting us in for now: it replied with 4yz as its greeting or to EHLO, STARTTLS or AUTH, or with 5yz as its
 * greeting, or it closed the connection. It may do so because there are more connections than it allows at the same time, or because it
 * cannot serve anybody.
 */
export const isTurnedAway = ({ error, reached }: SendFailure): boolean => {
  if (reached !== "nothing") return false;
  const code = replyCode(error);
  if (code === null) return isHungUp(error);
  return code >= 400 && (code < 500 || textOf(error, "command") === "CONN");
};

const isHungUp = (error: unknown): boolean =>
  textOf(error, "code") === "ECONNECTION" || ["ECONNRESET", "EPIPE"].includes(textOf(error, "originalCode"));

/**
 * Whether a connection that had sent other messages was lost before anything of this one was sent: the server closes connections that
 * were idle, or that have sent as many messages as it allows. nodemailer reports this without the command at which the connection was
 * lost.
 */
export const isLostWithoutCause = ({ error, reached }: SendFailure): boolean =>
  reached === "session" && textOf(error, "code") === "ECONNECTION" && textOf(error, "command") === "";

/**
 * What a failure means for a copy with this sender.
 *
 * - If the relay turned this connection away but serves others, it can still be used, with fewer connections.
 * - Any other failure before MAIL, or an authentication code in reply to MAIL, would hit every message: the relay refuses us. In
 *   reply to RCPT or DATA, such a code is about the recipient, whose server may want the relay to authenticate.
 * - Any other 5yz in reply to MAIL refuses the sender, so it says nothing about other domains; except 552, since the size of the
 *   message is declared with MAIL. The operator can get a domain accepted, but hardly the null sender, which some relays never
 *   accept: Amazon SES replies 501.
 * - A 5yz in reply to RCPT, DATA or the message refuses this copy.
 */
export const answerTo = (
  failure: SendFailure,
  { from, servesOthers }: Pick<Envelope, "from"> & { readonly servesOthers: boolean },
): RelayAnswer => {
  const { error, reached } = failure;
  const code = replyCode(error);
  const status = enhancedStatus(error);
  const cause = causeOf(error, reached === "data");
  const deferred = (about: "copy" | "sender" | "connection" | "relay"): RelayAnswer => ({
    kind: "deferred",
    about,
    code,
    status,
    cause,
  });

  if (reached === "nothing") {
    // Other messages took so long that no connection became free; or the relay greets, and then says nothing to anybody.
    if (textOf(error, "code") === "EABORT") return deferred(servesOthers ? "copy" : "relay");
    return deferred(servesOthers && isTurnedAway(failure) ? "connection" : "relay");
  }
  const atSender = textOf(error, "command") === "MAIL FROM";
  // nodemailer does not offer a message that is larger than the relay says it accepts, so there is no reply.
  if (atSender && code === null && textOf(error, "code") === "EMESSAGE") {
    const reason = "larger than the server accepts";
    const cause = { source: "smtp", reason };
    return { kind: "refused", about: "copy", code: TOO_LARGE, status: "5.3.4", cause };
  }
  if (code === null || code < 500 || !isReplyToCopy(error)) return deferred("copy");
  if (!atSender || code === TOO_LARGE) return { kind: "refused", about: "copy", code, status, cause };
  if (AUTHENTICATION.includes(code)) return deferred("relay");
  return from === null ? { kind: "refused", about: "sender", code, status, cause } : deferred("sender");
};

/** Whether the reply answers a command of this transaction, and was not sent unasked. */
const isReplyToCopy = (error: unknown): boolean => ["EENVELOPE", "EMESSAGE"].includes(textOf(error, "code"));
