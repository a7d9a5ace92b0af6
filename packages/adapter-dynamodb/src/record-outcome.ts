import type { Aliases, AliasNotFound, AliasReference, MailEvent, Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import { AddressItem, AliasItem } from "./alias-item.ts";
import { type Database, read, transact, understand, type Write } from "./database.ts";
import { deadline, UNAVAILABLE } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";

/** For how long an event is remembered, in seconds: 35 days. */
const REMEMBERED = 35 * 24 * 60 * 60;

type AliasPlace = Extract<AliasReference, { readonly id: unknown }>;

/** Where the alias is; null where no alias has that address. */
const placeOf = async (
  database: Database,
  reference: AliasReference,
  signal: AbortSignal,
): Promise<Result<AliasPlace | null, Unavailable>> => {
  if ("id" in reference) return ok(reference);
  const items = await read(database, [Key.address(reference.email)], signal);
  if (items.isErr()) return err(items.error);
  const [item] = items.value;
  return item === undefined ? ok(null) : understand(database, AddressItem, item);
};

/** Why the alias could not be counted: it is not there, or it is not as this version writes it. */
const missing = async (
  database: Database,
  { account, id }: AliasPlace,
  signal: AbortSignal,
): Promise<AliasNotFound | Unavailable> => {
  const items = await read(database, [Key.alias(account, id)], signal);
  if (items.isErr()) return items.error;
  const [item] = items.value;
  if (item === undefined) return { code: "alias_not_found" };
  understand(database, AliasItem, item);
  return UNAVAILABLE;
};

/** Remembers that the event was told; refused where it is remembered already. DynamoDB forgets late, so that is asked for as well. */
const remember = (table: string, { account, id }: AliasPlace, event: MailEvent, now: number): Write => ({
  Put: {
    TableName: table,
    Item: {
      ...Key.event(account, id, event.id),
      schema: SCHEMA,
      expires: Math.ceil(now / 1000) + REMEMBERED,
    },
    ConditionExpression: "attribute_not_exists(pk) OR expires <= :now",
    ExpressionAttributeValues: { ":now": Math.floor(now / 1000) },
  },
});

/** Counts the event, and sets the last time to its own; refused where that would set it back. */
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
 * Counts and remembers in one transaction. One that is refused for the alias's sake has either met a later last time, which
 * then stands for good, so that counting without dating is right; or no alias.
 */
export const recordOutcome =
  (database: Database, now: () => number): Aliases["recordOutcome"] =>
  async (reference, event) => {
    const signal = deadline(database);
    const place = await placeOf(database, reference, signal);
    if (place.isErr()) return err(place.error);
    const alias = place.value;
    if (alias === null) return err({ code: "alias_not_found" });
    const remembering = remember(database.table, alias, event, now());
    for (const count of [countAndDate, countOnly]) {
      const told = await transact(database, [remembering, count(database.table, alias, event)], signal);
      if (told.isOk()) return ok("recorded");
      if (told.error.code === "unavailable") return err(told.error);
      const [remembered] = told.error.refused;
      if (remembered) return ok("repeated");
    }
    return err(await missing(database, alias, signal));
  };
