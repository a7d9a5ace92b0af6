import type { EmailAddress, PortResult, SpoolMark, Unavailable } from "@postern/core";
import { begin, markOfSpool } from "@postern/core/operations";
import type { HandedReport } from "@postern/core/store";
import { err } from "neverthrow";
import type { MailContext } from "../context.ts";
import { spoolOfBounceAddress } from "../message/bounce-address.ts";

/**
 * How many reports are kept for a spool: far more than arrive in the seconds that its server takes to record them, and enough for one that is
 * down. Servers that keep reports at the same time can exceed it by a few.
 */
export const KEPT_FOR_A_SPOOL = 1_000;

const TOO_MANY: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "too many reports wait for another mail server" },
};

/** The spool of another server that has the copy with this address, as the address itself proves; null if it proves nothing of the kind. */
export const otherSpool = (
  { spool, secrets }: Pick<MailContext, "spool" | "secrets">,
  address: EmailAddress,
): SpoolMark | null => {
  const mark = spoolOfBounceAddress(secrets.hash, address);
  return mark === markOfSpool(spool.id) ? null : mark;
};

/** Keeps in the store what a report says about a copy of another server, until that server records it (`recordHandedReports`). */
export const handOver = (context: MailContext) => {
  const { handedReports, clock } = context;
  return async (report: Omit<HandedReport, "at">): PortResult<void> => {
    const timeLeft = begin(context);
    const kept = await handedReports.list(report.spool, KEPT_FOR_A_SPOOL, timeLeft());
    if (kept.isErr()) return err(kept.error);
    if (kept.value.length >= KEPT_FOR_A_SPOOL) return err(TOO_MANY);
    return handedReports.handOver({ ...report, at: clock.now() }, timeLeft());
  };
};
