import { readVariables } from "../../../../configuration/configuration.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { skipped } from "../../skipped.ts";
import { checkSendingServer } from "../sending-server.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const NAMES = ["relay", "relay-tls"] as const;

const Needed = Variables.pick({
  POSTERN_RELAY_URL: true,
  POSTERN_SMTP_URL: true,
  POSTERN_ALIAS_DOMAINS: true,
});

/** Whether mail can be forwarded. */
export const relay = ifMailIsReceived(NAMES, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped(NAMES, read.error);
  const { POSTERN_RELAY_URL: own, POSTERN_SMTP_URL: shared, POSTERN_ALIAS_DOMAINS: domains } = read.value;
  return checkSendingServer({
    names: NAMES,
    url: own ?? shared,
    variable: own === undefined ? "POSTERN_SMTP_URL" : "POSTERN_RELAY_URL",
    from: `postmaster@${domains[0]}`,
    allowSender: `Allow every sender on the alias domains at the relay, for this login: forwarded mail has one of its own for each copy`,
  });
});
