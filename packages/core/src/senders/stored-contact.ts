import type { Result } from "neverthrow";
import * as z from "zod";
import { contactId } from "../values/base32-ids.ts";
import { emailAddress } from "../values/email-address.ts";
import { accountId, aliasId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp, version } from "../values/stored.ts";
import { BLOCKINGS, type Contact } from "./contact.ts";

const storedContact = z
  .object({
    id: contactId,
    account: accountId,
    alias: aliasId,
    email: emailAddress,
    blocking: z.enum(BLOCKINGS),
    createdAt: timestamp,
    addedAt: timestamp.nullable(),
    // Earlier versions did not tell those that were only named apart.
    onlyNamed: z.boolean().default(false),
    lastReceivedAt: timestamp.nullable(),
    lastSentAt: timestamp.nullable(),
    version,
  })
  .refine(({ addedAt, lastReceivedAt, lastSentAt }) => (addedAt ?? lastReceivedAt ?? lastSentAt) !== null, {
    path: ["lastReceivedAt"],
    error: "must be a time, unless addedAt or lastSentAt is one",
  });

/**
 * Parses a contact that was stored or exported as plain data with the fields of `Contact`. Unknown fields are dropped; a
 * missing one is an issue, except for `onlyNamed`.
 */
export const parseContact = (input: unknown): Result<Contact, InvalidRequest> => parse(storedContact, input);
