import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { checkSmtp, smtpRelay } from "@postern/adapter-smtp";
import { type SqliteSpool, sqliteSpool } from "@postern/adapter-sqlite";
import type { Domain, Secrets } from "@postern/core";
import { type BounceProbe, beginBounceProbe } from "@postern/mail";
import { nodePorts, systemClock } from "@postern/node";
import { ENV } from "../../../configuration/names.ts";
import { withRelayRule } from "../../../configuration/rules.ts";
import { Variables } from "../../../configuration/variables.ts";
import { inTime, LATE } from "../../../system/in-time.ts";
import { checkOf, type Found, fine, skippedAfter, warning, wrong } from "../check.ts";
import { isPosternAt } from "./ports.ts";

const CONNECT_MS = 3_000;
const SEND_MS = 2_000;
const RETURN_MS = 8_000;
const POLL_MS = 100;

const RECIPE =
  "With Postfix on this machine, inet_interfaces = loopback-only, another myhostname, and mydestination without the alias domains (docs/mail.md, Postfix on the same machine)";

/** Whether the report is back before the time is up. */
const returns = async (probe: BounceProbe): Promise<boolean> => {
  for (const end = performance.now() + RETURN_MS; performance.now() < end; await setTimeout(POLL_MS)) {
    if ((await probe.hasReturned()).unwrapOr(false)) return true;
  }
  return false;
};

type Relay = { readonly url: string; readonly name: string };

/** Sends a message through the relay to a bounce address, and waits for the report that comes back to it. */
const tryWayBack = async (
  spool: SqliteSpool,
  secrets: Secrets,
  { url, name }: Relay,
  domain: Domain,
): Promise<Found> => {
  const begun = await beginBounceProbe({ spool, clock: systemClock, secrets }, domain);
  if (begun.isErr()) return skippedAfter("spool");
  const probe = begun.value;
  const start = performance.now();
  const relay = smtpRelay({ url, name, connections: 1 });
  try {
    const { envelope, header, body } = probe;
    const answer = await inTime(relay.send({ envelope, header, body }), SEND_MS);
    if (answer === LATE || answer.kind !== "accepted") {
      const reason = answer === LATE ? "timeout" : answer.cause?.reason;
      const found = `the relay does not accept mail to ${domain} (${reason}): it cannot report bounces there`;
      return answer !== LATE && answer.kind === "refused"
        ? wrong(found, `Have it deliver mail to the alias domains by their MX records. ${RECIPE}`)
        : warning(found, "Try again, and look at its log");
    }
    return (await returns(probe))
      ? fine(`a bounce came back from the relay after ${((performance.now() - start) / 1000).toFixed(1)} s`)
      : wrong(
          `the relay has accepted a message to a bounce address of ${domain}, and has not reported within ${RETURN_MS / 1000} s that this server refuses it: bounces are lost`,
          `Look in its log for "loops back to myself". ${RECIPE}`,
        );
  } finally {
    relay.close();
    await probe.end();
  }
};

/**
 * Whether reports come back from the relay to this server. A message is sent only if the relay is on this machine or in a private network,
 * where it is the operator's: providers count bounces.
 */
export const bounces = checkOf({
  names: ["bounces"],
  deadlineMs: CONNECT_MS + SEND_MS + RETURN_MS + 1_000,
  variables: withRelayRule(
    Variables.pick({
      relayUrl: true,
      smtpUrl: true,
      aliasDomains: true,
      mxName: true,
      mxHost: true,
      mxPort: true,
      spoolPath: true,
      spoolLimit: true,
      linkSecrets: true,
      mailboxSecret: true,
    }),
  ),
  run: async ({ relayUrl, smtpUrl, mxName, mxHost, mxPort, ...settings }) => {
    const { aliasDomains, spoolPath, spoolLimit: limit, linkSecrets, mailboxSecret } = settings;
    const found = async (): Promise<Found> => {
      if (mxName === undefined || mxPort === undefined || !(await isPosternAt(mxHost, mxPort))) {
        return fine("not tried: no server receives mail here");
      }
      const [domain] = aliasDomains;
      const relay = { url: relayUrl ?? smtpUrl, name: mxName };
      const { security, serverName } = await checkSmtp({ ...relay, senders: [null] }, CONNECT_MS);
      if (security === null || serverName?.toLowerCase() === mxName) return skippedAfter("relay");
      if (!security.isPrivate) {
        return fine(
          `not tried, because the relay is in another network: have an alias forward to a mailbox that does not exist, and see whether that is counted as bounced`,
        );
      }
      const spool = await sqliteSpool({ path: resolve(spoolPath), limit, alongside: true });
      if (spool.isErr()) {
        return warning(
          `not tried: ${spool.error.message}`,
          `Set ${ENV.spoolPath} as for the server, and run doctor as root or as its user`,
        );
      }
      try {
        return await tryWayBack(
          spool.value,
          nodePorts({ linkSecrets, mailboxSecret }).secrets,
          relay,
          domain,
        );
      } finally {
        await spool.value.close();
      }
    };
    return { bounces: await found() };
  },
});
