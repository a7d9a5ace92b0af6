import { type Clock, type Concealment, err, ok, type PortResult, type Store } from "@postern/core";
import { recordVerification } from "@postern/core/operations";
import type { ReportResult } from "@postern/mail";
import { taggedLink } from "../verification-tag.ts";
import type { SesOutcome } from "./ses-event.ts";

/** What is needed to record what becomes of the verification messages of `sesMail`. */
export type RecordForRecipientPorts = {
  /** Without recipients, nothing is recorded. */
  readonly store: Partial<Pick<Store, "recipients">>;
  readonly clock: Clock;
  readonly secrets: Pick<Concealment, "reveal">;
  readonly timeoutMs?: number | undefined;
};

/**
 * Records what became of a verification message for the recipient that its tag names, as of one that was queued: that it has arrived, or
 * was refused. Nothing changes if the recipient has been sent a newer link. Can be repeated.
 */
export const recordForRecipient = ({ store: { recipients }, secrets, ...ports }: RecordForRecipientPorts) => {
  const record = recipients && recordVerification({ ...ports, recipients });
  return async (
    { outcome }: SesOutcome,
    tag: string,
  ): PortResult<Extract<ReportResult, SesOutcome["outcome"] | "unknown_copy">> => {
    const link = taggedLink(tag, secrets);
    if (link === null || record === undefined) return ok("unknown_copy");
    if (outcome === "complaint" || outcome === "delayed") return ok(outcome);
    const recorded = await record(
      link,
      outcome === "delivered" ? { kind: outcome, at: ports.clock.now() } : { kind: "refused" },
    );
    return recorded.isErr() ? err(recorded.error) : ok(outcome);
  };
};
