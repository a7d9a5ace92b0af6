import { ok } from "neverthrow";
import { Alias } from "../../alias/alias.ts";
import type { AliasPlace } from "../../alias/aliases.ts";
import { type ChangeAliasPorts, changeAlias } from "../../alias/change-alias.ts";
import { begin } from "../../operation/deadline.ts";
import type { OnUnreported } from "../../ports/port-result.ts";

/**
 * Undoes `takeMessage` for aliases whose message could not be stored. If the store fails, that is reported, and the message stays counted.
 */
export const giveMessagesBack =
  ({ onUnreported, ...ports }: ChangeAliasPorts & { readonly onUnreported: OnUnreported }) =>
  async (aliases: readonly AliasPlace[]): Promise<void> => {
    for (const { account, id } of aliases) {
      const target = { account, aliasId: id, expectedVersions: undefined };
      const given = await changeAlias<never>(ports, begin(ports), target, [], (alias, _, now) =>
        ok(Alias.giveMessageBack(alias, now)),
      );
      if (given.isErr() && given.error.code === "unavailable") onUnreported(given.error);
    }
  };
