import { SESv2ServiceException } from "@aws-sdk/client-sesv2";
import type { EmailAddress } from "@postern/core";
import type { RelayAnswer } from "@postern/mail";
import { because, reasonOf } from "../cause.ts";
import { isThrottled, isUnsent } from "../failure.ts";

/** For the whole account, or for the configuration set. */
const STOPPED: ReadonlySet<string> = new Set([
  "AccountSuspendedException",
  "SendingPausedException",
  "LimitExceededException",
]);

/** SES does not know us, or lets us send nothing; or there is no such configuration set. */
const OUR_FAULT: ReadonlySet<number | undefined> = new Set([401, 403, 404]);

/** As a mail server replies to a message that is larger than it takes (RFC 1870, section 6). */
export const TOO_LARGE: RelayAnswer = {
  kind: "refused",
  about: "copy",
  code: 552,
  status: "5.3.4",
  cause: because("larger than SES accepts"),
};

const DAILY_QUOTA = /^Daily message quota exceeded/i;

const UNVERIFIED = /\bnot verified\b[^:]*:(.*)$/is;

/**
 * Whether SES does not know one of the message's senders. `MessageRejected` then lists the addresses that it does not know. In the sandbox, the
 * recipient can be the only one.
 */
const isAboutSender = ({ name, message }: SESv2ServiceException, to: EmailAddress): boolean => {
  if (name === "MailFromDomainNotVerifiedException") return true;
  const [, unknown] = UNVERIFIED.exec(message) ?? [];
  return unknown?.split(",").some((address) => address.trim().toLowerCase() !== to.toLowerCase()) ?? false;
};

/**
 * The only place that interprets errors of relaying. SES's text is read where names do not tell what matters, and never repeated.
 *
 * - There was no connection, credentials or rights are wrong, nothing is sent for the account now or the day's quota is used up: the relay.
 * - There are more messages a second than the account may send: the connection, since fewer at the same time can be sent.
 * - The sender's domain, or its MAIL FROM domain, is not verified: the sender.
 * - SES refuses what the message contains or whom it is for: this copy, for good.
 * - Everything else, such as a lost response: this copy, later. It may have been sent.
 */
export const answerTo = (thrown: unknown, to: EmailAddress): RelayAnswer => {
  const cause = because(reasonOf(thrown));
  const deferred = (
    about: "copy" | "sender" | "connection" | "relay",
    status: string | null = null,
  ): RelayAnswer => ({ kind: "deferred", about, code: null, status, cause });
  const refused = (status: string): RelayAnswer => ({
    kind: "refused",
    about: "copy",
    code: 554,
    status,
    cause,
  });

  if (!(thrown instanceof SESv2ServiceException)) return deferred(isUnsent(thrown) ? "relay" : "copy");
  const { name, message, $metadata } = thrown;
  // RFC 3463: the system is congested.
  if (isThrottled(thrown)) return deferred(DAILY_QUOTA.test(message) ? "relay" : "connection", "4.4.5");
  if (STOPPED.has(name) || OUR_FAULT.has($metadata.httpStatusCode)) return deferred("relay");
  // Delivery is not authorized.
  if (isAboutSender(thrown, to)) return deferred("sender", "5.7.1");
  if (name === "MessageRejected") return refused("5.7.1");
  if (name === "BadRequestException") return refused("5.6.0");
  return $metadata.httpStatusCode === 413 ? TOO_LARGE : deferred("copy");
};
