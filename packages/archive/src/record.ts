import {
  AccountId,
  type Alias,
  AliasId,
  EmailAddress,
  type InvalidRequest,
  MAIL_OUTCOMES,
  parse,
  type Recipient,
  RecipientId,
} from "@postern/core";
import { err, type Result } from "neverthrow";
import { z } from "zod";

/** Of the form of a line. A reader takes only lines of a form it knows. */
const FORM = 1;

const time = z.int().nonnegative();
const version = z.int().positive();
const Tally = z.strictObject({ count: z.int().nonnegative(), lastAt: time.nullable() });
const Destination = z.strictObject({ recipientId: RecipientId, email: EmailAddress });

const RecipientLine = z.strictObject({
  postern: z.literal(FORM),
  kind: z.literal("recipient"),
  id: RecipientId,
  account: AccountId,
  email: EmailAddress,
  verifiedAt: time.nullable(),
  active: z.boolean(),
  nonce: z.string(),
  mailedAt: z.array(time),
  createdAt: time,
  updatedAt: time,
  version,
});

const AliasLine = z.strictObject({
  postern: z.literal(FORM),
  kind: z.literal("alias"),
  id: AliasId,
  account: AccountId,
  email: EmailAddress,
  description: z.string(),
  active: z.boolean(),
  destinations: z.tuple([Destination], Destination),
  tallies: z.record(z.enum(MAIL_OUTCOMES), Tally),
  createdAt: time,
  updatedAt: time,
  deletedAt: time.nullable(),
  version,
});

const Line = z.discriminatedUnion("kind", [RecipientLine, AliasLine]);

/** One thing that a store keeps, whole. How many aliases hold a recipient is not kept: it follows from the aliases. */
export type ArchiveRecord =
  | { readonly kind: "recipient"; readonly recipient: Recipient }
  | { readonly kind: "alias"; readonly alias: Alias };

/**
 * The record as one line of JSON, without a line break: the same line for the same record, from whichever store it
 * comes. It holds addresses and links' nonces: keep it as you keep mail.
 */
export const writeRecord = (record: ArchiveRecord): string => {
  if (record.kind === "alias") return write({ kind: record.kind, ...record.alias });
  const { attached: _, ...recipient } = record.recipient;
  return write({ kind: record.kind, ...recipient });
};

/** Parsing puts the fields into the order of the schema. */
const write = (record: object): string => JSON.stringify(Line.parse({ postern: FORM, ...record }));

/** The record of a line, or what is wrong with the line. */
export const readRecord = (line: string): Result<ArchiveRecord, InvalidRequest> => {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return err({ code: "invalid_request", issues: [{ path: [], reason: "is not JSON" }] });
  }
  return parse(Line, json).map(({ postern: _, ...record }) => {
    if (record.kind === "recipient") {
      const { kind, ...recipient } = record;
      return { kind, recipient: { ...recipient, attached: 0 } };
    }
    const { kind, ...alias } = record;
    return { kind, alias };
  });
};
