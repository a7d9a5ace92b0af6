import { Alias, EmailAddress, err, ok } from "@postern/core";
import type { Aliases } from "@postern/core/store";
import { findPlace } from "./address-item.ts";
import { parseAliasItem } from "./alias-item.ts";
import { CORRUPT_ITEM } from "./cause.ts";
import { type Database, readOne } from "./database.ts";
import { decode } from "./item.ts";
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
    const item = await readOne(database, Key.alias(place.value.account, place.value.id), signal);
    if (item.isErr()) return err(item.error);
    // Erased between the two reads: the address is retired by now.
    if (item.value === undefined) return ok(null);
    const stored = decode(database, parseAliasItem, item.value);
    if (stored.isErr()) return err(stored.error);
    const { alias } = stored.value;
    if (EmailAddress.key(alias.email) === EmailAddress.key(email)) return ok(Alias.state(alias));
    // The address item is damaged: without this check, mail could go to another alias's recipients.
    database.onCorruptItem(Key.address(email));
    return err(CORRUPT_ITEM);
  };
