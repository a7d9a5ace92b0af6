import type { Result } from "neverthrow";
import * as z from "zod";
import { sender } from "../contact/sender.ts";
import { emailAddress } from "../values/email-address.ts";
import { accountId, aliasId, recipientId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp, version } from "../values/stored.ts";
import type { Alias } from "./alias.ts";
import type { Destination, Destinations } from "./destinations.ts";
import { ACCEPT_FROM, AliasRules, MAX_ACTIVE_UNTIL, MAX_LISTED_SENDERS, MAX_MESSAGES_LEFT } from "./rules.ts";
import { MAIL_OUTCOMES } from "./tallies.ts";

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
  // Aliases from before there were any have none.
  rules: rules.nullish().transform((stored) => stored ?? AliasRules.none),
  tallies: z.record(z.enum(MAIL_OUTCOMES), tally),
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: timestamp.nullable(),
  version,
});

const storedAlias = withoutDestinations.extend({ destinations: z.tuple([destination], destination) });

/**
 * Parses an alias that was stored or exported as plain data with the fields of `Alias`. Unknown fields are dropped; a
 * missing one is an issue, except `rules`.
 */
export const parseAlias = (input: unknown): Result<Alias, InvalidRequest> => parse(storedAlias, input);

/** Parses one destination of an alias that was stored as plain data. */
export const parseDestination = (input: unknown): Result<Destination, InvalidRequest> =>
  parse(destination, input);

/**
 * Like `parseAlias`, for an alias whose destinations have been parsed already; those in `input`, if any, are ignored. Much
 * faster for a page of aliases that forward to the same recipients.
 */
export const parseAliasWith = (destinations: Destinations, input: unknown): Result<Alias, InvalidRequest> =>
  parse(withoutDestinations, input).map((alias) => ({ ...alias, destinations }));
