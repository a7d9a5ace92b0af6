import { err, ok } from "neverthrow";
import { begin } from "../operation/deadline.ts";
import type { PortResult } from "../ports/port-result.ts";
import { Alias } from "./alias.ts";
import type { AliasKey } from "./aliases.ts";
import { type ChangeAliasPorts, changeAlias } from "./change-alias.ts";

/**
 * Switches off an alias whose `activeUntil` has passed. Returns the alias if this call has switched it off, so that its recipients are
 * notified by one call, no matter how many try at the same time; null if there was nothing to do.
 */
export const endAlias =
  (ports: ChangeAliasPorts) =>
  async ({ account, id }: AliasKey): PortResult<Alias | null> => {
    let isEnding = false;
    const target = { account, aliasId: id, expectedVersions: undefined };
    const ended = await changeAlias<never>(ports, begin(ports), target, [], (alias, _, now) => {
      const after = Alias.end(alias, now);
      isEnding = after !== alias;
      return ok(after);
    });
    if (ended.isErr()) return ended.error.code === "unavailable" ? err(ended.error) : ok(null);
    return ok(isEnding ? ended.value : null);
  };
