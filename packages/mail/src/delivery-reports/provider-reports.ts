import {
  type Clock,
  EmailAddress,
  err,
  type FailureReason,
  ok,
  type PortResult,
  parseAliasDomains,
  type Secrets,
  type Store,
} from "@postern/core";
import { configured } from "@postern/core/operations";
import type { ReportedOutcome } from "@postern/core/store";
import { copyOfBounceAddress, spoolOfBounceAddress } from "../message/bounce-address.ts";
import { arePassedOn } from "./delivery-report.ts";
import { handOver } from "./hand-over.ts";
import type { ReportResult } from "./record-report.ts";

/** What a provider that sends our mail says has become of a message. */
export type ProviderReport = {
  /** The envelope sender with which the provider got the message. */
  readonly sender: EmailAddress;
  readonly outcome: ReportedOutcome;
  /** Why it bounced or is delayed; null for other outcomes. */
  readonly reason: FailureReason | null;
  /** The addresses that this is about, each as a header field would have it; none if that is not known. */
  readonly recipients: readonly string[];
};

export type ProviderReportsPorts = {
  /** The same as for `mailPlane`, as are the others. */
  readonly store: Pick<Store, "handedReports">;
  readonly secrets: Pick<Secrets, "hash">;
  readonly clock: Pick<Clock, "now">;
  readonly aliasDomains: readonly string[];
  /** How long a batch may take, in milliseconds; 2,000 by default. */
  readonly timeoutMs?: number | undefined;
};

/**
 * Keeps what a provider reports about copies, whichever server has sent them, until that server records it, as it does with reports that
 * reach it by mail: each outcome of a copy counts once, in any order, however often it is reported in 35 days. Needs no spool.
 *
 * What `providerReports(ports)()` returns takes the reports of one batch. `handed_over`: it is stored. `unknown_copy`: the envelope sender
 * does not prove that this deployment has sent it, so there is nothing to count. `unavailable`: it may not be stored; call it again later.
 *
 * @throws TypeError if `aliasDomains` is empty or not a list of domain names
 */
export const providerReports = ({ store, secrets, ...ports }: ProviderReportsPorts) => {
  const aliasDomains = configured("aliasDomains", parseAliasDomains(ports.aliasDomains));
  const isOnAliasDomain = (email: EmailAddress): boolean => aliasDomains.includes(EmailAddress.domain(email));
  const beginBatch = handOver({ ...ports, handedReports: store.handedReports });

  return () => {
    const keep = beginBatch();
    return async (
      report: ProviderReport,
    ): PortResult<Extract<ReportResult, "handed_over" | "unknown_copy">> => {
      const { sender, outcome, reason, recipients } = report;
      const [copy, spool] = [copyOfBounceAddress(sender), spoolOfBounceAddress(secrets.hash, sender)];
      if (copy === null || spool === null) return ok("unknown_copy");
      // Whoever complains has the message.
      const onlyIfToAlias = outcome !== "complaint" && arePassedOn(recipients.join(", "), isOnAliasDomain);
      const kept = await keep({ spool, copy, outcome, onlyIfToAlias, reason });
      return kept.isErr() ? err(kept.error) : ok("handed_over");
    };
  };
};
