import { readVariables } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { warning, wrong } from "../../check.ts";
import { skipped } from "../../skipped.ts";
import { checkSendingServer, type NeededRecipient, type NeededSender } from "../sending-server.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const NAMES = ["relay", "relay-tls"] as const;

const Needed = Variables.pick({
  relayUrl: true,
  smtpUrl: true,
  aliasDomains: true,
  mxName: true,
  postmaster: true,
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
  what: ENV.postmaster,
  action: `Have the relay forward mail to other domains, for this machine or login, and check that ${ENV.postmaster} exists. If ${variable} leads to the port of Postern itself (${ENV.mxPort}), which only accepts mail to aliases, set it to the mail server that delivers to others`,
});

/** Whether mail can be forwarded, for each alias domain, and failure notices sent. */
export const relay = ifMailIsReceived(NAMES, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped(NAMES, read.error);
  const { relayUrl: own, smtpUrl: shared, aliasDomains: domains, mxName: name, postmaster } = read.value;
  const [first, ...others] = domains;
  const variable = own === undefined ? ENV.smtpUrl : ENV.relayUrl;
  return checkSendingServer({
    names: NAMES,
    url: own ?? shared,
    variable,
    name,
    senders: [of(first), ...others.map(of), NULL_SENDER],
    recipient: postmaster === undefined ? undefined : operator(postmaster, variable),
  });
});
