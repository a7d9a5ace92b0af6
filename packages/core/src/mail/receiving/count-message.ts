import { err, ok } from "neverthrow";
import type { Alias } from "../../alias/alias.ts";
import type { AliasPlace } from "../../alias/aliases.ts";
import type { PortResult } from "../../ports/port-result.ts";
import { CHANGED_MEANWHILE } from "./divide-message.ts";
import type { giveMessagesBack } from "./give-messages-back.ts";
import type { takeMessage } from "./take-message.ts";

/**
 * Counts a message for aliases that accept a limited number of messages: for all of them, or for none. Returns the aliases as they are
 * afterward; some may be switched off because this was their last message.
 */
export const countMessage =
  ({
    take,
    giveBack,
  }: {
    readonly take: ReturnType<typeof takeMessage>;
    readonly giveBack: ReturnType<typeof giveMessagesBack>;
  }) =>
  async (aliases: readonly AliasPlace[]): PortResult<readonly Alias[]> => {
    const counted: Alias[] = [];
    for (const alias of aliases) {
      const taken = await take(alias);
      if (taken.isErr()) {
        await giveBack(counted);
        const { error } = taken;
        return err(error.code === "unavailable" ? error : CHANGED_MEANWHILE);
      }
      counted.push(taken.value);
    }
    return ok(counted);
  };
