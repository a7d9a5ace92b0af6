import type { EmailAddress, PortResult, Secrets, SpoolMark, Unavailable } from "@postern/core";
import { begin, markOfSpool, type Timing } from "@postern/core/operations";
import type { HandedReport, HandedReports } from "@postern/core/store";
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
  { spool, secrets }: Pick<MailContext, "spool"> & { readonly secrets: Pick<Secrets, "hash"> },
  address: EmailAddress,
): SpoolMark | null => {
  const mark = spoolOfBounceAddress(secrets.hash, address);
  return mark === markOfSpool(spool.id) ? null : mark;
};

/**
 * Keeps in the store what reports say about copies of another server, until that server records it (`recordHandedReports`). What
 * `handOver(context)()` returns keeps those of one batch, within one deadline, and asks only once how many a spool already has.
 */
export const handOver = (context: Timing & { readonly handedReports: HandedReports }) => {
  const { handedReports, clock } = context;
  return () => {
    const timeLeft = begin(context);
    /** How many more each spool can have, after those of this batch. */
    const rooms = new Map<SpoolMark, PortResult<{ left: number }>>();
    const roomOf = (spool: SpoolMark): PortResult<{ left: number }> => {
      const known = rooms.get(spool);
      if (known !== undefined) return known;
      const asked = handedReports
        .list(spool, KEPT_FOR_A_SPOOL, timeLeft())
        .then((kept) => kept.map(({ length }) => ({ left: KEPT_FOR_A_SPOOL - length })));
      rooms.set(spool, asked);
      return asked;
    };

    return async (report: Omit<HandedReport, "at">): PortResult<void> => {
      const room = await roomOf(report.spool);
      if (room.isErr()) return err(room.error);
      if (room.value.left <= 0) return err(TOO_MANY);
      room.value.left -= 1;
      return handedReports.handOver({ ...report, at: clock.now() }, timeLeft());
    };
  };
};
