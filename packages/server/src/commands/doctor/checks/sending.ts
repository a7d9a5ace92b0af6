import { checkSmtp, type SmtpCheck, type SmtpSecurity } from "@postern/adapter-smtp";
import type { NonEmpty } from "@postern/core";
import { ENV } from "../../../configuration/names.ts";
import { withRelayRule } from "../../../configuration/rules.ts";
import { parseSesUrl } from "../../../configuration/ses-url.ts";
import { Variables } from "../../../configuration/variables.ts";
import { checkOf, type Found, fine, skippedAfter, together, warning, wrong } from "../check.ts";
import { expiresSoon, validUntil } from "./certificate.ts";
import { sesFound } from "./ses.ts";

const TIMEOUT_MS = 5_000;

/** A sender that the server must accept. */
type NeededSender = {
  /** Null for the null sender. */
  readonly from: string | null;
  /** What it sends, such as `mail of alias.example.com`. */
  readonly sends: string;
  /** How bad it is if the server refuses it, and what to do then. */
  readonly refused: typeof wrong;
  readonly action: string;
};

/** A mail server that sends something for this one. */
type SendingServer = {
  readonly url: string;
  /** The variable with its URL. */
  readonly variable: string;
  /** The name for EHLO, if this server uses one there. The mail server must not have the same. */
  readonly name?: string | undefined;
  readonly senders: NonEmpty<NeededSender>;
  /** A mailbox elsewhere that the server must accept mail for, and what to do if it refuses it for good. */
  readonly recipient?: { readonly to: string; readonly action: string } | undefined;
};

/** What to do about reasons that have to do with the login. VARIABLE stands for the variable with the URL. */
const LOGIN_ACTIONS: readonly (readonly [reason: RegExp, action: string])[] = [
  [
    /^no login offered$/,
    "Use a port of the mail server that offers a login in VARIABLE (usually 587 or 465), or remove the user and the password if it needs none. If this port should offer one, see whether its TLS works: without it, many servers offer none",
  ],
  [
    /to AUTH$|^EAUTH$|^53[0458] to MAIL FROM$/,
    "Correct the user and the password in VARIABLE, percent-encoded, or unlock the login at the mail server",
  ],
];

const ACTIONS: typeof LOGIN_ACTIONS = [
  ...LOGIN_ACTIONS,
  [
    /to STARTTLS$|WRONG_VERSION/,
    "Match VARIABLE to the port: smtps:// is for TLS from the start (usually 465), smtp:// for STARTTLS (usually 587)",
  ],
  [/^tls: CERT_HAS_EXPIRED/, "Renew the certificate of the mail server"],
  [
    /^tls:/,
    "Use the host name that is in the mail server's certificate, have it renewed, or set NODE_EXTRA_CA_CERTS if its authority is private",
  ],
  [/^name lookup:/, "Correct the host in VARIABLE, or the DNS of this machine (/etc/resolv.conf)"],
  [
    /^(connect:|timeout|connection)/,
    "Check the host and port in VARIABLE, that the mail server runs, and the firewall: many providers block port 25, so use 587 or 465",
  ],
];

const actionFor = (reason: string, actions: typeof ACTIONS, { variable }: SendingServer, otherwise: string) =>
  actions.find(([pattern]) => pattern.test(reason))?.[1].replace("VARIABLE", variable) ?? otherwise;

const LOOK_UP =
  "Look up the reply code in the mail server's log; docs/operations.md explains it under Causes";
const TRY_AGAIN = "Try again, and look at the mail server's log";

const sending = ({ sending, serverName }: SmtpCheck, host: string, server: SendingServer): Found => {
  if (sending.isErr()) {
    const { reason } = sending.error;
    return wrong(`cannot send through ${host} (${reason})`, actionFor(reason, ACTIONS, server, LOOK_UP));
  }
  const { name, senders, recipient } = server;
  const { loggedIn, refused, recipientRefused, untried } = sending.value;
  const found = senders.flatMap((sender) => {
    const reason = refused.find(({ from }) => from === sender.from)?.cause.reason;
    if (reason === undefined) return [];
    const action = actionFor(reason, LOGIN_ACTIONS, server, sender.action);
    return sender.refused(`cannot send ${sender.sends} through ${host} (${reason})`, action);
  });
  if (recipientRefused !== null && recipient !== undefined) {
    const { reason } = recipientRefused;
    const refusal = `${host} does not accept mail to ${ENV.postmaster} (${reason})`;
    found.push(reason.startsWith("5") ? wrong(refusal, recipient.action) : warning(refusal, TRY_AGAIN));
  }
  if (untried > 0) {
    const ended = `${host} ended the session or was too slow: ${untried} of ${senders.length} senders were not tried`;
    found.push(warning(ended, TRY_AGAIN));
  }
  if (found.length > 0) return together(...found);
  if (name !== undefined && serverName?.toLowerCase() === name) {
    return wrong(
      `${host} calls itself ${name}, as this server does: it takes what it sends here for a loop, and bounces are lost`,
      `Give it another name than ${ENV.mxName}. With Postfix, myhostname is its own, such as relay.example.com, and smtp_helo_name is ${ENV.mxName}; then restart it`,
    );
  }
  const accepted = `${senders.length === 1 ? "the sender" : "all senders"}${recipient === undefined ? "" : `, also for ${ENV.postmaster}`}`;
  return fine(
    `${host} accepts ${loggedIn ? `the login and ${accepted}` : `${accepted}, without a login`}; no message was sent`,
  );
};

const encryption = ({ tls, isPrivate }: SmtpSecurity, host: string, variable: string): Found => {
  if (tls === null) {
    return isPrivate
      ? fine(`not encrypted; ${host} is in a private network`)
      : warning(
          `messages, and a password, go to ${host} unencrypted`,
          `Use smtps:// in ${variable}, or add ?requireTLS=true`,
        );
  }
  if (!tls.verified) {
    const found = `encrypted, but the certificate of ${host} is not verified (tls.rejectUnauthorized=false)`;
    return isPrivate
      ? fine(found)
      : warning(
          found,
          `Remove tls.rejectUnauthorized from ${variable}: anyone in between can read the password`,
        );
  }
  const until = `the certificate of ${host} is ${validUntil(tls.validUntil)}`;
  if (expiresSoon(tls.validUntil)) {
    return warning(until, "Renew it at the mail server: once it expires, no message can be sent");
  }
  return tls.required || isPrivate
    ? fine(`encrypted; ${until}`)
    : warning(
        `encrypted, but only because the server offered it; ${until}`,
        `Add ?requireTLS=true to ${variable}: otherwise anyone in between can turn encryption off`,
      );
};

/** Whether the server accepts messages from this one, as far as that can be determined without sending one. */
const checkServer = async (server: SendingServer, name: string): Promise<readonly [Found, Found]> => {
  const { url, variable, senders, recipient } = server;
  const host = URL.parse(url)?.host ?? "the mail server";
  const [first, ...others] = senders;
  const report = await checkSmtp(
    {
      url,
      name: server.name,
      senders: [first.from, ...others.map(({ from }) => from)],
      recipient: recipient?.to,
    },
    TIMEOUT_MS,
  );
  const { security } = report;
  return [
    sending(report, host, server),
    security === null ? skippedAfter(name) : encryption(security, host, variable),
  ];
};

/** Whether verification messages can be sent. */
export const smtp = checkOf({
  names: ["smtp", "smtp-tls"],
  variables: Variables.pick({ smtpUrl: true, mailFrom: true }),
  run: async ({ smtpUrl: url, mailFrom: from }) => {
    const ses = parseSesUrl(url);
    if (ses !== null) {
      return {
        smtp: await sesFound(ses, from, TIMEOUT_MS),
        "smtp-tls": fine("not used: SES is reached over HTTPS"),
      };
    }
    const sender: NeededSender = {
      from,
      sends: "verification mail",
      refused: wrong,
      action: `Allow the sender ${ENV.mailFrom} at the mail server, for this login, or set it to one that is allowed`,
    };
    const server = { url, variable: ENV.smtpUrl, senders: [sender] as const };
    const [smtp, tls] = await checkServer(server, "smtp");
    return { smtp, "smtp-tls": tls };
  },
});

/** Forwarded mail from an alias domain. */
const forwarded = (domain: string): NeededSender => ({
  from: `postmaster@${domain}`,
  sends: `mail of ${domain}`,
  refused: wrong,
  action: `Register ${domain} with the provider of the relay, and allow every sender on it for this login: each forwarded copy has its own`,
});

const NULL_SENDER: NeededSender = {
  from: null,
  sends: "failure notices",
  refused: warning,
  action:
    "Have the relay accept the null sender (MAIL FROM:<>), if the provider can do that: until then, senders are not told that their messages failed",
};

/** The only known mailbox elsewhere. A relay that refuses it forwards nothing. */
const operator = (to: string, variable: string) => ({
  to,
  action: `Have the relay forward mail to other domains, for this machine or login, and check that ${ENV.postmaster} exists. If ${variable} leads to the port of Postern itself (${ENV.mxPort}), which only accepts mail to aliases, set it to the mail server that delivers to others`,
});

/** Whether mail can be forwarded, for each alias domain, and failure notices sent. */
export const relay = checkOf({
  names: ["relay", "relay-tls"],
  variables: withRelayRule(
    Variables.pick({
      relayUrl: true,
      smtpUrl: true,
      aliasDomains: true,
      mxName: true,
      postmaster: true,
    }),
  ),
  run: async ({ relayUrl, smtpUrl, aliasDomains: [first, ...others], mxName: name, postmaster }) => {
    const variable = relayUrl === undefined ? ENV.smtpUrl : ENV.relayUrl;
    const [relay, tls] = await checkServer(
      {
        url: relayUrl ?? smtpUrl,
        variable,
        name,
        senders: [forwarded(first), ...others.map(forwarded), NULL_SENDER],
        recipient: postmaster === undefined ? undefined : operator(postmaster, variable),
      },
      "relay",
    );
    return { relay, "relay-tls": tls };
  },
});
