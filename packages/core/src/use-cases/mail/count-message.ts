import { err, ok, type Result } from "neverthrow";
import type { Alias } from "../../alias/alias.ts";
import type { Unavailable } from "../../errors.ts";
import type { AliasPlace } from "../../ports.ts";
import { CHANGED_MEANWHILE } from "./divide-message.ts";
import type { takeMessage } from "./take-message.ts";

/** Whether a message was counted, and the aliases that have ended with it: there can be some even if it was not counted at all of them. */
type Counted = { readonly counted: Result<void, Unavailable>; readonly ended: readonly Alias[] };

/** Counts a message at aliases that accept a certain number of messages, until one of them does not accept it. */
export const countMessage =
  ({ take }: { readonly take: ReturnType<typeof takeMessage> }) =>
  async (aliases: readonly AliasPlace[]): Promise<Counted> => {
    const ended: Alias[] = [];
    for (const alias of aliases) {
      const taken = await take(alias);
      if (taken.isErr()) {
        const { error } = taken;
        return { counted: err(error.code === "unavailable" ? error : CHANGED_MEANWHILE), ended };
      }
      if (!taken.value.active) ended.push(taken.value);
    }
    return { counted: ok(), ended };
  };
