import { err, ok, type Result } from "neverthrow";
import type { Unavailable } from "../../errors.ts";
import type { AliasAddress } from "../../mail/copy.ts";
import { newMessageId } from "../../mail/mail-ids.ts";
import type { Clock, Secrets } from "../../ports.ts";
import type { recordMailOutcome } from "../aliases/record-mail-outcome.ts";

/**
 * Counts one message as blocked for each of the aliases. Aliases that were erased meanwhile are skipped. After `unavailable`,
 * some may have been counted.
 */
export const countBlocked = async (
  {
    record,
    secrets,
    clock,
  }: {
    readonly record: ReturnType<typeof recordMailOutcome>;
    readonly secrets: Pick<Secrets, "random">;
    readonly clock: Pick<Clock, "now">;
  },
  aliases: readonly Pick<AliasAddress, "account" | "id">[],
): Promise<Result<void, Unavailable>> => {
  const eventId = `${newMessageId(secrets.random)}:blocked`;
  for (const { account, id } of aliases) {
    const at = clock.now();
    const recorded = await record({ alias: { account, id }, eventId, outcome: "blocked", at });
    if (recorded.isErr() && recorded.error.code === "unavailable") return err(recorded.error);
  }
  return ok();
};
