import { readVariables } from "../../../../configuration/configuration.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { warning, wrong } from "../../check.ts";
import { skipped } from "../../skipped.ts";
import { checkSendingServer, type NeededRecipient, type NeededSender } from "../sending-server.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const NAMES = ["relay", "relay-tls"] as const;

const Needed = Variables.pick({
  POSTERN_RELAY_URL: true,
  POSTERN_SMTP_URL: true,
  POSTERN_ALIAS_DOMAINS: true,
  POSTERN_MX_NAME: true,
  POSTERN_POSTMASTER: true,
});

/** Forwarded mail from an alias domain. */
const of = (domain: string): NeededSender => ({
  from: `postmaster@${domain}`,
  sends: `mail of ${domain}`,
  report: wrong,
  action: `Register ${domain} with the provider of the relay, and allow every sender on it for this login: each forwarded copy has its own`,
});

const NULL_SENDER: NeededSender = {
  from: null,
  sends: "failure notices",
  report: warning,
  action:
    "Have the relay accept the null sender (MAIL FROM:<>), if the provider can do that: until then, senders are not told that their messages failed",
};

/** The only known mailbox elsewhere. A relay that refuses it forwards nothing. */
const operator = (to: string, variable: string): NeededRecipient => ({
  to,
  what: "POSTERN_POSTMASTER",
  action: `Have the relay forward mail to other domains, for this machine or login, and check that POSTERN_POSTMASTER exists. If ${variable} leads to the port of Postern itself (POSTERN_MX_PORT), which only accepts mail to aliases, set it to the mail server that delivers to others`,
});

/** Whether mail can be forwarded, for each alias domain, and failure notices sent. */
export const relay = ifMailIsReceived(NAMES, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped(NAMES, read.error);
  const {
    POSTERN_RELAY_URL: own,
    POSTERN_SMTP_URL: shared,
    POSTERN_ALIAS_DOMAINS: domains,
    POSTERN_MX_NAME: name,
    POSTERN_POSTMASTER: postmaster,
  } = read.value;
  const [first, ...others] = domains;
  const variable = own === undefined ? "POSTERN_SMTP_URL" : "POSTERN_RELAY_URL";
  return checkSendingServer({
    names: NAMES,
    url: own ?? shared,
    variable,
    name,
    senders: [of(first), ...others.map(of), NULL_SENDER],
    recipient: postmaster === undefined ? undefined : operator(postmaster, variable),
  });
});
