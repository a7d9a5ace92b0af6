import { ok } from "neverthrow";
import { Alias } from "../../alias/alias.ts";
import type { AliasPlace } from "../../alias/aliases.ts";
import { type ChangeAliasPorts, changeAlias } from "../../alias/change-alias.ts";
import { begin } from "../../operation/deadline.ts";
import type { OnUnreported } from "../../ports/port-result.ts";
import type { tellEnd } from "../notices/tell-end.ts";

/**
 * Switches off an alias whose `activeUntil` has passed, and notifies its recipients. If several calls do so at the same time, only one of
 * them notifies. If it fails, that is reported, and the next message to the alias tries again.
 */
export const endAlias =
  ({
    tell,
    onUnreported,
    ...ports
  }: ChangeAliasPorts & {
    readonly tell: ReturnType<typeof tellEnd>;
    readonly onUnreported: OnUnreported;
  }) =>
  async ({ account, id }: AliasPlace): Promise<void> => {
    let isEnding = false;
    const target = { account, aliasId: id, expectedVersions: undefined };
    const ended = await changeAlias<never>(ports, begin(ports), target, [], (alias, _, now) => {
      const after = Alias.end(alias, now);
      isEnding = after !== alias;
      return ok(after);
    });
    if (ended.isErr()) {
      if (ended.error.code === "unavailable") onUnreported(ended.error);
      return;
    }
    if (isEnding) await tell(ended.value, "its time is over");
  };
