import { err, ok, type Result } from "neverthrow";
import { Alias } from "../../alias/alias.ts";
import type { AliasPlace } from "../../ports.ts";
import { type ChangeAliasError, type ChangeAliasPorts, changeAlias } from "../shared/change-alias.ts";
import { begin } from "../shared/deadline.ts";

/** The alias does not accept mail any more. */
type NotAccepting = { readonly code: "not_accepting" };

/**
 * Reduces the number of messages that the alias still accepts, so that at most so many are accepted, however many arrive at the same
 * time. Returns the alias as it is then: switched off if this was the last one.
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
