import { checkSmtp, type SmtpCheck, type SmtpSecurity } from "@postern/adapter-smtp";
import { readVariables } from "../../../configuration/configuration.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, type Finding, fine, warning, wrong } from "../check.ts";
import { skipped, skippedAfter } from "../skipped.ts";

const SMTP = "smtp";
const SMTP_TLS = "smtp-tls";
const NAMES = [SMTP, SMTP_TLS] as const;

const Needed = Variables.pick({ POSTERN_SMTP_URL: true, POSTERN_MAIL_FROM: true });

const TIMEOUT_MS = 5_000;

const DAY = 24 * 60 * 60 * 1000;
const RENEWAL_DAYS = 14;

const actionOf = (reason: string): string => {
  if (reason.endsWith("to AUTH") || reason === "EAUTH") {
    return "Correct the user and the password in POSTERN_SMTP_URL, percent-encoded, or unlock the login at the mail server";
  }
  if (reason.endsWith("to MAIL FROM")) {
    return "Allow the sender POSTERN_MAIL_FROM at the mail server, for this login, or set it to one that is allowed";
  }
  if (reason.endsWith("to STARTTLS") || reason.includes("WRONG_VERSION")) {
    return "Match POSTERN_SMTP_URL to the port: smtps:// is for TLS from the start (usually 465), smtp:// for STARTTLS (usually 587)";
  }
  if (reason.startsWith("tls: CERT_HAS_EXPIRED")) return "Renew the certificate of the mail server";
  if (reason.startsWith("tls:")) {
    return "Use the host name that is in the mail server's certificate, have it renewed, or set NODE_EXTRA_CA_CERTS if its authority is private";
  }
  if (reason.startsWith("name lookup:")) {
    return "Correct the host in POSTERN_SMTP_URL, or the DNS of this machine (/etc/resolv.conf)";
  }
  if (reason.startsWith("connect:") || reason.startsWith("timeout") || reason.startsWith("connection")) {
    return "Check the host and port in POSTERN_SMTP_URL, that the mail server runs, and the firewall: many providers block port 25, so use 587 or 465";
  }
  return "Look the reply code up in the mail server's log. What it means is in docs/operations.md under Causes";
};

const sending = ({ sending }: SmtpCheck, host: string): Finding => {
  if (sending.isErr()) {
    const { reason } = sending.error;
    return wrong(SMTP, `no message can be sent by ${host} (${reason})`, actionOf(reason));
  }
  const login = sending.value.loggedIn
    ? "accepts the login and the sender"
    : "accepts the sender, without a login";
  return fine(SMTP, `${host} ${login}; no message was sent`);
};

const encryption = ({ tls, isPrivate }: SmtpSecurity, host: string): Finding => {
  if (tls === null) {
    if (isPrivate) return fine(SMTP_TLS, `not encrypted; ${host} is in a private network`);
    return warning(
      SMTP_TLS,
      `messages, and a password, go to ${host} unencrypted`,
      "Use smtps:// in POSTERN_SMTP_URL, or add ?requireTLS=true",
    );
  }
  const days = Math.floor((tls.validUntil - Date.now()) / DAY);
  const until = `the certificate of ${host} is valid until ${new Date(tls.validUntil).toISOString().slice(0, 10)}`;
  if (tls.verified && days < RENEWAL_DAYS) {
    return warning(SMTP_TLS, until, "Renew it at the mail server: afterwards no message can be sent");
  }
  if (!tls.verified) {
    const found = `encrypted, but the certificate of ${host} is not verified (tls.rejectUnauthorized=false)`;
    return isPrivate
      ? fine(SMTP_TLS, found)
      : warning(
          SMTP_TLS,
          found,
          "Remove tls.rejectUnauthorized from POSTERN_SMTP_URL: anyone in between can read the password",
        );
  }
  if (!tls.required && !isPrivate) {
    return warning(
      SMTP_TLS,
      `encrypted, but only because the server offered it; ${until}`,
      "Add ?requireTLS=true to POSTERN_SMTP_URL: otherwise anyone in between can turn encryption off",
    );
  }
  return fine(SMTP_TLS, `encrypted; ${until}`);
};

/** Whether verification messages can be sent. */
export const smtp: Check = {
  names: NAMES,
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped(NAMES, read.error);
    const { POSTERN_SMTP_URL: url, POSTERN_MAIL_FROM: from } = read.value;
    const host = URL.parse(url)?.host ?? "the mail server";
    const report = await checkSmtp({ url, from }, TIMEOUT_MS);
    const { security } = report;
    return [
      sending(report, host),
      ...(security === null ? skippedAfter([SMTP_TLS], SMTP) : [encryption(security, host)]),
    ];
  },
};
