import { err, type Result } from "neverthrow";
import { z } from "zod";
import { MAIL_OUTCOMES } from "../../alias/tallies.ts";
import type { AliasNotFound, InvalidRequest, Unavailable } from "../../errors.ts";
import type { Aliases } from "../../ports.ts";
import { EmailAddress } from "../../values/email-address.ts";
import { AccountId, AliasId, EventId } from "../../values/identifiers.ts";
import { parse } from "../shared/parse.ts";

const Command = z.object({
  alias: z.union([z.object({ account: AccountId, id: AliasId }), z.object({ email: EmailAddress })]),
  eventId: EventId,
  outcome: z.enum(MAIL_OUTCOMES),
  at: z.int().nonnegative(),
});
export type RecordMailOutcomeCommand = z.input<typeof Command>;

export type RecordMailOutcomeError = InvalidRequest | AliasNotFound | Unavailable;

/**
 * Counts what became of a message (specification, section 1), once for each `eventId` of an alias, and says whether
 * this was the first time. After `unavailable` nobody knows; telling it again is safe, for 35 days.
 */
export const recordMailOutcome =
  ({ aliases }: { aliases: Pick<Aliases, "recordOutcome"> }) =>
  async (
    input: RecordMailOutcomeCommand,
  ): Promise<Result<"recorded" | "repeated", RecordMailOutcomeError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { alias, eventId, outcome, at } = command.value;
    return aliases.recordOutcome(alias, { id: eventId, outcome, at });
  };
