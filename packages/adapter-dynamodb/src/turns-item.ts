import { err, ok, parseAccountId, parseWebhookId } from "@postern/core";
import {
  Announcement,
  type NextTurn,
  parseAnnouncement,
  type TurnState,
  type WantedTurns,
  type WebhookKey,
} from "@postern/core/store";
import * as z from "zod";
import { keyedItemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * A webhook that is due, or whose last turn has failed, has one item about its turns. All of them are in one partition, so that one query
 * finds those that are due.
 *
 * The item counts the calls that announce something. To end a turn, a store looks for announcements, and then marks the webhook as not
 * due, provided that the count is still the same. So it cannot miss anything announced in the meantime, because that is stored first and
 * counted afterwards.
 */

/** What is known about the turns of a webhook. Times are in epoch milliseconds. */
export type StoredTurns = WebhookKey &
  TurnState & {
    /** When the next turn is due; null if nothing was announced when the last one ended. */
    readonly dueAt: number | null;
    /** Until when somebody has the turn; null if nobody has it. */
    readonly until: number | null;
    readonly count: number;
  };

const time = z.int().nonnegative();

// An item has no state before a turn has ended.
const Attributes = z.object({
  dueAt: time.nullable().default(null),
  until: time.nullable().default(null),
  failures: z.int().nonnegative().default(0),
  failingSince: time.nullable().default(null),
  after: z.string().nullable().default(null),
  count: z.int().positive(),
});

const CORRUPT = err({ code: "corrupt" });

export const parseTurnsItem = keyedItemParser<StoredTurns>((item) => {
  const [account, id] = [parseAccountId(item["account"]), parseWebhookId(item["id"])];
  const { data } = Attributes.safeParse(item);
  if (account.isErr() || id.isErr() || data === undefined) return CORRUPT;
  const webhook = { account: account.value, id: id.value };
  if (data.after === null) return ok({ ...webhook, ...data, after: null });
  return parseAnnouncement(webhook, data.after).map((announcement) => ({
    ...webhook,
    ...data,
    after: Announcement.position(announcement),
  }));
}, Key.turns);

/**
 * Counts an announcement that was stored, and makes its webhook due unless it already is. It does not matter how often this request
 * arrives: a turn can find nothing announced.
 */
export const countAnnounced = ({ account, webhook: id, at }: Announcement) => ({
  Key: { ...Key.turns({ account, id }) },
  UpdateExpression:
    "SET dueAt = if_not_exists(dueAt, :at), #schema = if_not_exists(#schema, :schema), account = :account, id = :id ADD #count :one",
  ExpressionAttributeNames: { "#schema": "schema", "#count": "count" },
  ExpressionAttributeValues: { ":at": at, ":schema": SCHEMA, ":account": account, ":id": id, ":one": 1 },
});

/** Passes items that are due, and items that do not say when they are due: a `dueAt` that is not a number must be reported. */
export const dueFilter = (now: number) => ({ expression: "NOT dueAt > :now", values: { ":now": now } });

/**
 * Gives the turn that is due at `now` to `holder`, a random text; refused if it is no longer due, or somebody else has it. Its holder is
 * not refused, so it does not matter how often this request arrives; once the turn is ended, the next one is due later.
 */
export const takeTurn = (webhook: WebhookKey, holder: string, { now, until }: WantedTurns) => ({
  Key: { ...Key.turns(webhook) },
  UpdateExpression: "SET #until = :until, holder = :holder",
  ConditionExpression:
    "dueAt <= :now AND (attribute_not_exists(#until) OR #until <= :now OR holder = :holder)",
  ExpressionAttributeNames: { "#until": "until" },
  ExpressionAttributeValues: { ":now": now, ":until": until, ":holder": holder },
});

const STATE = "failures = :failures, failingSince = :failingSince, #after = :after";

const stateValues = ({ failures, failingSince, after }: TurnState) => ({
  ":failures": failures,
  ":failingSince": failingSince,
  ":after": after,
});

/** Ends the turn and makes the webhook due again; refused if somebody else has the turn, or it was already ended. */
export const endDue = (turns: StoredTurns, next: NextTurn) => ({
  Key: { ...Key.turns(turns) },
  UpdateExpression: `SET ${STATE}, dueAt = :dueAt REMOVE #until, holder`,
  ConditionExpression: "#until = :until",
  ExpressionAttributeNames: { "#after": "after", "#until": "until" },
  ExpressionAttributeValues: { ...stateValues(next), ":dueAt": next.dueAt, ":until": turns.until },
});

/** The condition of `endIdle` and `forget`: the same, and that nothing was counted since the item was read. */
const unchanged = ({ until, count }: StoredTurns) => ({
  ConditionExpression: "#until = :until AND #count = :count",
  names: { "#until": "until", "#count": "count" },
  values: { ":until": until, ":count": count },
});

/** Ends the turn; the webhook is then not due. */
export const endIdle = (turns: StoredTurns, state: TurnState) => {
  const { ConditionExpression, names, values } = unchanged(turns);
  return {
    Key: { ...Key.turns(turns) },
    UpdateExpression: `SET ${STATE} REMOVE dueAt, #until, holder`,
    ConditionExpression,
    ExpressionAttributeNames: { ...names, "#after": "after" },
    ExpressionAttributeValues: { ...values, ...stateValues(state) },
  };
};

/** Ends the turn of a webhook that is then not due, and about which nothing needs to be known. */
export const forget = (turns: StoredTurns) => {
  const { ConditionExpression, names, values } = unchanged(turns);
  return {
    Key: { ...Key.turns(turns) },
    ConditionExpression,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
};
