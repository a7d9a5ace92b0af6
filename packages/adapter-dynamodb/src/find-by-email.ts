import { EmailAddress, err, ok } from "@postern/core";
import type { Aliases } from "@postern/core/store";
import { findPlace } from "./address-item.ts";
import { CORRUPT_ITEM } from "./cause.ts";
import type { Database } from "./database.ts";
import { findAlias } from "./find-alias.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key } from "./table.ts";

/**
 * Reads the address, then the alias it leads to. Both reads are strongly consistent and an alias never changes its
 * address, so the alias found is the one that has the address at the time of the second read.
 */
export const findByEmail =
  (database: Database): Aliases["findByEmail"] =>
  async (email, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const place = await findPlace(database, email, signal);
    if (place.isErr()) return err(place.error);
    if (place.value === null) return ok(null);
    const found = await findAlias(database, place.value, [], signal);
    if (found.isErr()) return err(found.error);
    const { alias } = found.value;
    // Erased between the two reads: the address is retired by now.
    if (alias === null) return ok(null);
    if (EmailAddress.key(alias.email) === EmailAddress.key(email)) return ok(alias);
    // The address item is damaged: without this check, mail could go to another alias's recipients.
    database.onCorruptItem(Key.address(email));
    return err(CORRUPT_ITEM);
  };
