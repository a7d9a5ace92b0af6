import {
  type Aliases,
  type AliasNotFound,
  type AliasReference,
  err,
  type MailEvent,
  ok,
  type Result,
  type Unavailable,
} from "@postern/core";
import { type AliasPlace, findPlace } from "./address-item.ts";
import { parseAliasItem } from "./alias-item.ts";
import { unavailable } from "./cause.ts";
import { type Database, readOne, transact, type Write } from "./database.ts";
import { decode } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";

/** How long an event is remembered, in seconds: 35 days. */
const MEMORY_SECONDS = 35 * 24 * 60 * 60;

/** Where the alias is; null if no alias has that address. */
const placeOf = async (
  database: Database,
  reference: AliasReference,
  signal: AbortSignal,
): Promise<Result<AliasPlace | null, Unavailable>> =>
  "id" in reference ? ok(reference) : findPlace(database, reference.email, signal);

/** Why the alias could not be counted: it does not exist, or its item is corrupt. */
const explain = async (
  database: Database,
  { account, id }: AliasPlace,
  signal: AbortSignal,
): Promise<AliasNotFound | Unavailable> => {
  const item = await readOne(database, Key.alias(account, id), signal);
  if (item.isErr()) return item.error;
  if (item.value === undefined) return { code: "alias_not_found" };
  const decoded = decode(database, parseAliasItem, item.value);
  return decoded.isErr() ? decoded.error : unavailable("an update of an alias was refused");
};

/**
 * Records that the event was counted; refused if that is already recorded. DynamoDB deletes expired items late, so a
 * record that has expired is overwritten.
 */
const remember = (table: string, { account, id }: AliasPlace, event: MailEvent, now: number): Write => ({
  Put: {
    TableName: table,
    Item: {
      ...Key.event(account, id, event.id),
      schema: SCHEMA,
      expires: Math.ceil(now / 1000) + MEMORY_SECONDS,
    },
    ConditionExpression: "attribute_not_exists(pk) OR expires <= :now",
    ExpressionAttributeValues: { ":now": Math.floor(now / 1000) },
  },
});

/** Counts the event and sets `lastAt` to its time; refused if `lastAt` would go back. */
const countAndDate = (table: string, { account, id }: AliasPlace, { outcome, at }: MailEvent): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.alias(account, id) },
    UpdateExpression:
      "SET tallies.#outcome.#count = tallies.#outcome.#count + :one, tallies.#outcome.lastAt = :at",
    ConditionExpression:
      "#schema = :schema AND (attribute_type(tallies.#outcome.lastAt, :null) OR tallies.#outcome.lastAt <= :at)",
    ExpressionAttributeNames: { "#outcome": outcome, "#count": "count", "#schema": "schema" },
    ExpressionAttributeValues: { ":one": 1, ":at": at, ":null": "NULL", ":schema": SCHEMA },
  },
});

const countOnly = (table: string, { account, id }: AliasPlace, { outcome }: MailEvent): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.alias(account, id) },
    UpdateExpression: "SET tallies.#outcome.#count = tallies.#outcome.#count + :one",
    ConditionExpression: "#schema = :schema",
    ExpressionAttributeNames: { "#outcome": outcome, "#count": "count", "#schema": "schema" },
    ExpressionAttributeValues: { ":one": 1, ":schema": SCHEMA },
  },
});

/**
 * Counts and records the event in one transaction. If the write to the alias is refused, either the stored `lastAt` is
 * later, or the alias does not exist or is corrupt. `lastAt` never goes back, so in the first case it is right to
 * count the event without setting `lastAt`; in the others that is refused as well.
 */
export const recordOutcome =
  (database: Database, now: () => number): Aliases["recordOutcome"] =>
  async (reference, event, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const place = await placeOf(database, reference, signal);
    if (place.isErr()) return err(place.error);
    const alias = place.value;
    if (alias === null) return err({ code: "alias_not_found" });
    const remembering = remember(database.table, alias, event, now());
    for (const count of [countAndDate, countOnly]) {
      const recorded = await transact(database, [remembering, count(database.table, alias, event)], signal);
      if (recorded.isOk()) return ok("recorded");
      if (recorded.error.code === "unavailable") return err(recorded.error);
      const [remembered] = recorded.error.refused;
      if (remembered) return ok("duplicate");
    }
    return err(await explain(database, alias, signal));
  };
