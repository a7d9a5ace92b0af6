import { err, ok, type Result } from "neverthrow";
import { Alias } from "../../alias/alias.ts";
import type { AliasPlace } from "../../alias/aliases.ts";
import { type ChangeAliasError, type ChangeAliasPorts, changeAlias } from "../../alias/change-alias.ts";
import { begin } from "../../operation/deadline.ts";

/** The alias no longer accepts mail. */
type NotAccepting = { readonly code: "not_accepting" };

/**
 * Decrements the number of messages that the alias still accepts, so that at most that many are accepted, no matter how many arrive at the
 * same time. Returns the alias as it is afterward: switched off if this was the last message.
 */
export const takeMessage =
  (ports: ChangeAliasPorts) =>
  ({ account, id }: AliasPlace): Promise<Result<Alias, NotAccepting | ChangeAliasError>> => {
    const target = { account, aliasId: id, expectedVersions: undefined };
    return changeAlias<NotAccepting>(ports, begin(ports), target, [], (alias, _, now) => {
      const after = Alias.takeMessage(alias, now);
      return after === null ? err({ code: "not_accepting" }) : ok(after);
    });
  };
