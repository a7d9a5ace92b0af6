import { checkSmtp, type SmtpCheck, type SmtpSecurity } from "@postern/adapter-smtp";
import type { NonEmpty } from "@postern/core";
import { type Finding, fine, together, warning, wrong } from "../check.ts";
import { skippedAfter } from "../skipped.ts";

const TIMEOUT_MS = 5_000;

const DAY = 24 * 60 * 60 * 1000;
const RENEWAL_DAYS = 14;

/** A sender that the server must accept. */
export type NeededSender = {
  /** Null for the null sender. */
  readonly from: string | null;
  /** What it sends, such as `mail of alias.example.com`. */
  readonly sends: string;
  /** How bad it is if the server refuses it. */
  readonly report: typeof wrong;
  /** What to do then. */
  readonly action: string;
};

/** A mail server that sends something for this one. */
export type SendingServer = {
  /** The names of its two findings. */
  readonly names: readonly [sending: string, encryption: string];
  readonly url: string;
  /** The variable with its URL. */
  readonly variable: string;
  /** The name for EHLO, if this server uses one there. */
  readonly name?: string | undefined;
  readonly senders: NonEmpty<NeededSender>;
  /** A mailbox elsewhere that the server must accept mail for. */
  readonly recipient?: NeededRecipient | undefined;
};

export type NeededRecipient = {
  readonly to: string;
  /** What it is, such as the variable that names it. */
  readonly what: string;
  /** What to do if the server refuses it for good. */
  readonly action: string;
};

/** What to do about a refused login; null if the reason is something else. */
const loginAction = (reason: string, { variable }: SendingServer): string | null => {
  if (reason === "no login offered") {
    return `Use a port of the mail server that offers a login in ${variable} (usually 587 or 465), or remove the user and the password if it needs none. If this port should offer one, see whether its TLS works: without it, many servers offer none`;
  }
  return reason.endsWith("to AUTH") || reason === "EAUTH" || /^53[0458] to MAIL FROM$/.test(reason)
    ? `Correct the user and the password in ${variable}, percent-encoded, or unlock the login at the mail server`
    : null;
};

const actionOf = (reason: string, server: SendingServer): string => {
  const { variable } = server;
  const login = loginAction(reason, server);
  if (login !== null) return login;
  if (reason.endsWith("to STARTTLS") || reason.includes("WRONG_VERSION")) {
    return `Match ${variable} to the port: smtps:// is for TLS from the start (usually 465), smtp:// for STARTTLS (usually 587)`;
  }
  if (reason.startsWith("tls: CERT_HAS_EXPIRED")) return "Renew the certificate of the mail server";
  if (reason.startsWith("tls:")) {
    return "Use the host name that is in the mail server's certificate, have it renewed, or set NODE_EXTRA_CA_CERTS if its authority is private";
  }
  if (reason.startsWith("name lookup:")) {
    return `Correct the host in ${variable}, or the DNS of this machine (/etc/resolv.conf)`;
  }
  if (reason.startsWith("connect:") || reason.startsWith("timeout") || reason.startsWith("connection")) {
    return `Check the host and port in ${variable}, that the mail server runs, and the firewall: many providers block port 25, so use 587 or 465`;
  }
  return "Look up the reply code in the mail server's log; docs/operations.md explains it under Causes";
};

const sending = ({ sending }: SmtpCheck, host: string, server: SendingServer): Finding => {
  const [check] = server.names;
  if (sending.isErr()) {
    const { reason } = sending.error;
    return wrong(check, `cannot send through ${host} (${reason})`, actionOf(reason, server));
  }
  const { loggedIn, refused, recipientRefused, untried } = sending.value;
  const findings = server.senders.flatMap(({ from, sends, report, action }) => {
    const refusal = refused.find((each) => each.from === from);
    if (refusal === undefined) return [];
    const { reason } = refusal.cause;
    const found = `cannot send ${sends} through ${host} (${reason})`;
    return report(check, found, loginAction(reason, server) ?? action);
  });
  if (recipientRefused !== null && server.recipient !== undefined) {
    const { what, action } = server.recipient;
    const { reason } = recipientRefused;
    const found = `${host} does not accept mail to ${what} (${reason})`;
    findings.push(
      reason.startsWith("5")
        ? wrong(check, found, action)
        : warning(check, found, "Try again, and look at the mail server's log"),
    );
  }
  if (untried > 0) {
    const found = `${host} ended the session or was too slow: ${untried} of ${server.senders.length} senders were not tried`;
    findings.push(warning(check, found, "Try again, and look at the mail server's log"));
  }
  if (findings.length > 0) return together(check, findings);
  const senders = server.senders.length === 1 ? "the sender" : "all senders";
  const recipient = server.recipient === undefined ? "" : `, also for ${server.recipient.what}`;
  const accepts = loggedIn
    ? `accepts the login and ${senders}${recipient}`
    : `accepts ${senders}${recipient}, without a login`;
  return fine(check, `${host} ${accepts}; no message was sent`);
};

const encryption = (
  { tls, isPrivate }: SmtpSecurity,
  host: string,
  { names: [, check], variable }: SendingServer,
): Finding => {
  if (tls === null) {
    if (isPrivate) return fine(check, `not encrypted; ${host} is in a private network`);
    return warning(
      check,
      `messages, and a password, go to ${host} unencrypted`,
      `Use smtps:// in ${variable}, or add ?requireTLS=true`,
    );
  }
  const days = Math.floor((tls.validUntil - Date.now()) / DAY);
  const until = `the certificate of ${host} is valid until ${new Date(tls.validUntil).toISOString().slice(0, 10)}`;
  if (tls.verified && days < RENEWAL_DAYS) {
    return warning(check, until, "Renew it at the mail server: once it expires, no message can be sent");
  }
  if (!tls.verified) {
    const found = `encrypted, but the certificate of ${host} is not verified (tls.rejectUnauthorized=false)`;
    return isPrivate
      ? fine(check, found)
      : warning(
          check,
          found,
          `Remove tls.rejectUnauthorized from ${variable}: anyone in between can read the password`,
        );
  }
  if (!tls.required && !isPrivate) {
    return warning(
      check,
      `encrypted, but only because the server offered it; ${until}`,
      `Add ?requireTLS=true to ${variable}: otherwise anyone in between can turn encryption off`,
    );
  }
  return fine(check, `encrypted; ${until}`);
};

/** Whether the server accepts messages from this one, as far as that can be determined without sending one. */
export const checkSendingServer = async (server: SendingServer): Promise<readonly Finding[]> => {
  const { names, url, name, senders, recipient } = server;
  const host = URL.parse(url)?.host ?? "the mail server";
  const [first, ...others] = senders;
  const report = await checkSmtp(
    { url, name, senders: [first.from, ...others.map(({ from }) => from)], recipient: recipient?.to },
    TIMEOUT_MS,
  );
  const { security } = report;
  return [
    sending(report, host, server),
    ...(security === null ? skippedAfter([names[1]], names[0]) : [encryption(security, host, server)]),
  ];
};
