import type { Result } from "neverthrow";
import * as z from "zod";
import { emailAddress } from "../values/email-address.ts";
import { accountId, aliasId, recipientId } from "../values/identifiers.ts";
import { isNonEmpty } from "../values/non-empty.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { sender } from "../values/sender.ts";
import { count, timestamp, version } from "../values/stored.ts";
import type { Alias, AliasState } from "./alias.ts";
import type { Destination, Destinations } from "./destinations.ts";
import { ACCEPT_FROM, AliasRules, MAX_ACTIVE_UNTIL, MAX_LISTED_SENDERS, MAX_MESSAGES_LEFT } from "./rules.ts";
import { type MailOutcome, Tallies } from "./tallies.ts";

const destination = z.object({ recipientId, email: emailAddress });

// Aliases stored before an outcome was counted have no tally of it.
const tally = z.object({ count, lastAt: timestamp.nullable() }).default(() => Tallies.none.sent);

/** An unknown outcome is an issue: its tally would be lost. */
const tallies = z.strictObject({
  sent: tally,
  delivered: tally,
  bounced: tally,
  complaint: tally,
  replied: tally,
  blocked: tally,
} satisfies Record<MailOutcome, typeof tally>);

const rules = z.object({
  acceptFrom: z.enum(ACCEPT_FROM),
  senders: z.array(sender).max(MAX_LISTED_SENDERS),
  activeUntil: timestamp.max(MAX_ACTIVE_UNTIL).nullable(),
  messagesLeft: count.max(MAX_MESSAGES_LEFT).nullable(),
});

const withoutDestinations = z.object({
  id: aliasId,
  account: accountId,
  email: emailAddress,
  description: z.string(),
  // Missing in aliases stored before there was one.
  website: z.string().default(""),
  active: z.boolean(),
  // Aliases stored before there were rules have none.
  rules: rules.nullish().transform((stored) => stored ?? AliasRules.none),
  tallies,
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: timestamp.nullable(),
  version,
});

const destinations = z
  .array(destination)
  .refine((listed): listed is [Destination, ...Destination[]] => isNonEmpty(listed), "must not be empty");

const storedAlias = withoutDestinations.extend({ destinations });
const storedState = storedAlias.omit({ tallies: true });

/**
 * Parses an alias that was stored or exported as plain data with the fields of `Alias`. Unknown fields are dropped; a
 * missing one is an issue, except `website`, `rules` and the tally of an outcome.
 */
export const parseAlias = (input: unknown): Result<Alias, InvalidRequest> => parse(storedAlias, input);

/** Likewise, without the tallies; those in `input`, if any, are ignored. */
export const parseAliasState = (input: unknown): Result<AliasState, InvalidRequest> =>
  parse(storedState, input);

/** Parses one destination of an alias that was stored as plain data. */
export const parseDestination = (input: unknown): Result<Destination, InvalidRequest> =>
  parse(destination, input);

/**
 * Like `parseAlias`, for an alias whose destinations have already been parsed; those in `input`, if any, are ignored.
 * Much faster for a page of aliases that forward to the same recipients.
 */
export const parseAliasWith = (destinations: Destinations, input: unknown): Result<Alias, InvalidRequest> =>
  parse(withoutDestinations, input).map((rest) => ({ ...rest, destinations }));
