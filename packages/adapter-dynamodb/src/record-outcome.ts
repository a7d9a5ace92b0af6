import { type AliasNotFound, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Aliases, AliasReference } from "@postern/core/store";
import { addTallyItems } from "./add-tally-items.ts";
import { type AliasKey, findPlace } from "./address-item.ts";
import { parseAliasItem } from "./alias-item.ts";
import { CORRUPT_ITEM } from "./cause.ts";
import { countEvent } from "./count-event.ts";
import { type Database, readOne } from "./database.ts";
import { fullItems } from "./full-items.ts";
import { decode } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key } from "./table.ts";

/** Where the alias is; null if no alias has that address. */
const placeOf = async (
  database: Database,
  reference: AliasReference,
  signal: AbortSignal,
): Promise<Result<AliasKey | null, Unavailable>> =>
  "id" in reference ? ok(reference) : findPlace(database, reference.email, signal);

/**
 * Gives tally items to an alias that predates them. Also ok if it already has some; the other results say why the event cannot
 * be counted.
 */
const supplyTallyItems = async (
  database: Database,
  alias: AliasKey,
  signal: AbortSignal,
): Promise<Result<void, AliasNotFound | Unavailable>> => {
  const item = await readOne(database, Key.alias(alias.account, alias.id), signal);
  if (item.isErr()) return err(item.error);
  if (item.value === undefined) return err({ code: "alias_not_found" });
  const stored = decode(database, parseAliasItem, item.value);
  if (stored.isErr()) return err(stored.error);
  if (stored.value.hasTallyItems) return ok();
  const added = await addTallyItems(database, alias, signal);
  // If that is refused, another call has added them, or erased the alias.
  return added.isErr() && added.error.code === "unavailable" ? err(added.error) : ok();
};

export const recordOutcome = (database: Database, now: () => number): Aliases["recordOutcome"] => {
  const full = fullItems();
  return async (reference, event, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const place = await placeOf(database, reference, signal);
    if (place.isErr()) return err(place.error);
    const alias = place.value;
    if (alias === null) return err({ code: "alias_not_found" });
    const at = now();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const counted = await countEvent(database, full, alias, event, at, signal);
      if (counted.isErr()) return err(counted.error);
      if (counted.value !== null) return ok(counted.value);
      const supplied = await supplyTallyItems(database, alias, signal);
      if (supplied.isErr()) return err(supplied.error);
    }
    // The alias exists, so the item should too.
    database.onCorruptItem(Key.tallyOf(alias.account, alias.id, event.id));
    return err(CORRUPT_ITEM);
  };
};
