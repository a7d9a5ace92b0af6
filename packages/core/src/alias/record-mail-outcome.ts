import * as z from "zod";
import type { AliasNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { emailAddress } from "../values/email-address.ts";
import { accountId, aliasId, eventId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { timestamp } from "../values/stored.ts";
import type { Aliases } from "./aliases.ts";
import { MAIL_OUTCOMES, type MailOutcome } from "./tallies.ts";

const command = z.object({
  alias: z.union(
    [z.object({ account: accountId, id: aliasId }), z.object({ email: emailAddress })],
    "must be the alias's address, or its account and id",
  ),
  eventId,
  outcome: z.enum(MAIL_OUTCOMES, `must be one of: ${MAIL_OUTCOMES.join(", ")}`),
  at: timestamp,
});

export type RecordMailOutcomeCommand = {
  /** The alias, by its account and id or by its address. */
  readonly alias: { readonly account: string; readonly id: string } | { readonly email: string };
  /** Identifies the event among those of the alias. */
  readonly eventId: string;
  readonly outcome: MailOutcome;
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
};

export type RecordMailOutcomeError = InvalidRequest | AliasNotFound | Unavailable;

/**
 * Counts the outcome of a message to an alias, or through it, once for each `eventId` of the alias. Returns `duplicate`
 * if it was already counted. Safe to repeat for 35 days, including after `unavailable`.
 *
 * @example
 * ```ts
 * await service.recordMailOutcome({ alias: { email }, eventId, outcome: "delivered", at: reportedAt });
 * ```
 */
export const recordMailOutcome = ({
  aliases,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "recordOutcome">;
}): Operation<RecordMailOutcomeCommand, "recorded" | "duplicate", RecordMailOutcomeError> =>
  operation(timing, command, ({ alias, eventId, outcome, at }, timeLeft) =>
    aliases.recordOutcome(alias, { id: eventId, outcome, at }, timeLeft()),
  );
