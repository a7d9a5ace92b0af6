import { ok, type Result } from "neverthrow";
import * as z from "zod";
import { emailAddress, isEmailAddress } from "../values/email-address.ts";
import {
  type AccountId,
  type AliasId,
  accountId,
  aliasId,
  isIdentifier,
  type RecipientId,
  recipientId,
} from "../values/identifiers.ts";
import { isNonEmpty } from "../values/non-empty.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { sender } from "../values/sender.ts";
import { isCount, isFields, isTimestampOrNull, isVersion, timestamp, version } from "../values/stored.ts";
import type { Alias } from "./alias.ts";
import type { Destination, Destinations } from "./destinations.ts";
import { ACCEPT_FROM, AliasRules, MAX_ACTIVE_UNTIL, MAX_LISTED_SENDERS, MAX_MESSAGES_LEFT } from "./rules.ts";
import { MAIL_OUTCOMES, Tallies, type Tally } from "./tallies.ts";

const destination = z.object({ recipientId, email: emailAddress });
const tally = z.object({ count: z.int().nonnegative(), lastAt: timestamp.nullable() });

const rules = z.object({
  acceptFrom: z.enum(ACCEPT_FROM),
  senders: z.array(sender).max(MAX_LISTED_SENDERS).readonly(),
  activeUntil: timestamp.max(MAX_ACTIVE_UNTIL).nullable(),
  messagesLeft: z.int().nonnegative().max(MAX_MESSAGES_LEFT).nullable(),
});

const withoutDestinations = z.object({
  id: aliasId,
  account: accountId,
  email: emailAddress,
  description: z.string(),
  active: z.boolean(),
  // Aliases stored before there were rules have none.
  rules: rules.nullish().transform((stored) => stored ?? AliasRules.none),
  // Aliases stored before an outcome was counted have no tally of it.
  tallies: z
    .partialRecord(z.enum(MAIL_OUTCOMES), tally)
    .transform((stored) => ({ ...Tallies.none, ...stored })),
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: timestamp.nullable(),
  version,
});

export const storedAlias = withoutDestinations.extend({ destinations: z.tuple([destination], destination) });

const ordinaryDestinations = (input: unknown): Destinations | null => {
  if (!Array.isArray(input)) return null;
  const destinations: Destination[] = [];
  for (const each of input) {
    if (!isFields(each)) return null;
    const { recipientId, email } = each;
    if (!isIdentifier<RecipientId>(recipientId) || !isEmailAddress(email)) return null;
    destinations.push({ recipientId, email });
  }
  return isNonEmpty(destinations) ? destinations : null;
};

/** Whether nobody has changed the rules. */
const areNoRules = (input: unknown): boolean => {
  if (input === undefined || input === null) return true;
  if (!isFields(input)) return false;
  const { acceptFrom, senders, activeUntil, messagesLeft } = input;
  return (
    acceptFrom === AliasRules.none.acceptFrom &&
    Array.isArray(senders) &&
    senders.length === 0 &&
    activeUntil === null &&
    messagesLeft === null
  );
};

const ordinaryTally = (input: unknown): Tally | null => {
  if (!isFields(input)) return null;
  const { count, lastAt } = input;
  return isCount(count) && isTimestampOrNull(lastAt) ? { count, lastAt } : null;
};

const ordinaryTallies = (input: unknown): Tallies | null => {
  if (!isFields(input) || Object.keys(input).length !== MAIL_OUTCOMES.length) return null;
  const sent = ordinaryTally(input["sent"]);
  const delivered = ordinaryTally(input["delivered"]);
  const bounced = ordinaryTally(input["bounced"]);
  const complaint = ordinaryTally(input["complaint"]);
  const replied = ordinaryTally(input["replied"]);
  const blocked = ordinaryTally(input["blocked"]);
  return sent && delivered && bounced && complaint && replied && blocked
    ? { sent, delivered, bounced, complaint, replied, blocked }
    : null;
};

/** A fast path: the same result as the schema for nearly all stored aliases, in a fraction of the time. Null for all others. */
const ordinary = (input: unknown, destinations: Destinations | null): Alias | null => {
  if (destinations === null || !isFields(input) || !areNoRules(input["rules"])) return null;
  const { id, account, email, description, active, createdAt, updatedAt, deletedAt, version } = input;
  const tallies = ordinaryTallies(input["tallies"]);
  return isIdentifier<AliasId>(id) &&
    isIdentifier<AccountId>(account) &&
    isEmailAddress(email) &&
    typeof description === "string" &&
    typeof active === "boolean" &&
    tallies !== null &&
    isCount(createdAt) &&
    isCount(updatedAt) &&
    isTimestampOrNull(deletedAt) &&
    isVersion(version)
    ? {
        id,
        account,
        email,
        description,
        active,
        rules: AliasRules.none,
        tallies,
        createdAt,
        updatedAt,
        deletedAt,
        version,
        destinations,
      }
    : null;
};

/**
 * Parses an alias that was stored or exported as plain data with the fields of `Alias`. Unknown fields are dropped; a
 * missing one is an issue, except `rules` and the tally of an outcome.
 */
export const parseAlias = (input: unknown): Result<Alias, InvalidRequest> => {
  const alias = isFields(input) ? ordinary(input, ordinaryDestinations(input["destinations"])) : null;
  return alias === null ? parse(storedAlias, input) : ok(alias);
};

/** Parses one destination of an alias that was stored as plain data. */
export const parseDestination = (input: unknown): Result<Destination, InvalidRequest> =>
  parse(destination, input);

/**
 * Like `parseAlias`, for an alias whose destinations have already been parsed; those in `input`, if any, are ignored.
 * Much faster for a page of aliases that forward to the same recipients.
 */
export const parseAliasWith = (destinations: Destinations, input: unknown): Result<Alias, InvalidRequest> => {
  const alias = ordinary(input, destinations);
  return alias === null
    ? parse(withoutDestinations, input).map((rest) => ({ ...rest, destinations }))
    : ok(alias);
};
