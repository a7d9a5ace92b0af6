import { type AliasNotFound, err, type MailEvent, ok, type Result, type Unavailable } from "@postern/core";
import { type Aliases, type AliasReference, EVENT_RETENTION } from "@postern/core/store";
import { addTallyItems } from "./add-tally-items.ts";
import { type AliasKey, findPlace } from "./address-item.ts";
import { parseAliasItem } from "./alias-item.ts";
import { CORRUPT_ITEM } from "./cause.ts";
import { type Database, readOne, transact, type Write } from "./database.ts";
import { decode } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";
import { countAndDate, countOnly } from "./tally-item.ts";

/** Where the alias is; null if no alias has that address. */
const placeOf = async (
  database: Database,
  reference: AliasReference,
  signal: AbortSignal,
): Promise<Result<AliasKey | null, Unavailable>> =>
  "id" in reference ? ok(reference) : findPlace(database, reference.email, signal);

/**
 * Records that the event was counted; refused if that is already recorded. DynamoDB deletes expired items late, so a
 * record that has expired is overwritten.
 */
const remember = (table: string, { account, id }: AliasKey, event: MailEvent, now: number): Write => ({
  Put: {
    TableName: table,
    Item: {
      ...Key.event(account, id, event.id),
      schema: SCHEMA,
      expires: Math.ceil((now + EVENT_RETENTION) / 1000),
    },
    ConditionExpression: "attribute_not_exists(pk) OR expires <= :now",
    ExpressionAttributeValues: { ":now": Math.floor(now / 1000) },
  },
});

/**
 * Counts and records the event in one transaction. If the count is refused, either the stored time is later, or there is no
 * tally item. The time never goes back, so in the first case it is right to count the event without setting the time; in the
 * other, that is refused as well. Null if there is no tally item.
 */
const count = async (
  database: Database,
  alias: AliasKey,
  event: MailEvent,
  now: number,
  signal: AbortSignal,
): Promise<Result<"recorded" | "duplicate" | null, Unavailable>> => {
  const { table } = database;
  for (const counting of [countAndDate, countOnly]) {
    const writes = [remember(table, alias, event, now), counting(table, alias, event)];
    const recorded = await transact(database, writes, signal);
    if (recorded.isOk()) return ok("recorded");
    if (recorded.error.code === "unavailable") return err(recorded.error);
    const [remembered] = recorded.error.refused;
    if (remembered) return ok("duplicate");
  }
  return ok(null);
};

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

export const recordOutcome =
  (database: Database, now: () => number): Aliases["recordOutcome"] =>
  async (reference, event, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const place = await placeOf(database, reference, signal);
    if (place.isErr()) return err(place.error);
    const alias = place.value;
    if (alias === null) return err({ code: "alias_not_found" });
    const at = now();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const counted = await count(database, alias, event, at, signal);
      if (counted.isErr()) return err(counted.error);
      if (counted.value !== null) return ok(counted.value);
      const supplied = await supplyTallyItems(database, alias, signal);
      if (supplied.isErr()) return err(supplied.error);
    }
    // The alias exists, so the item should too.
    database.onCorruptItem(Key.tallyOf(alias.account, alias.id, event.id));
    return err(CORRUPT_ITEM);
  };
