import * as fc from "fast-check";
import { RecipientIds } from "../alias/destinations.ts";
import { EmailAddress } from "../values/email-address.ts";
import { AccountId, AliasId, RecipientId } from "../values/identifiers.ts";

/** Ids that a careless store takes apart, joins, folds or looks up as something else. */
export const KEY_LIKE_IDS = [
  "a",
  "A",
  "a#b",
  "b#c",
  "#",
  "a|b",
  "../x",
  "a/b",
  "%2e%2e",
  "__proto__",
  "constructor",
  "null",
  "0",
  " ",
  "'; --",
  "é",
  "e\u0301",
  "🙂",
  "\uffee",
  "x".repeat(128),
] as const;

const id = fc.oneof(
  fc.constantFrom(...KEY_LIKE_IDS),
  fc.uuid({ version: 7 }),
  fc.stringMatching(/^[\p{L}\p{N}\p{P}\p{S}]{1,20}$/u),
);

export const accountId = () => id.map((text) => AccountId.parse(text));
export const aliasId = () => id.map((text) => AliasId.parse(text));
export const recipientId = () => id.map((text) => RecipientId.parse(text));

/** Lists of 1 to `most` recipient ids, some repeated. */
export const recipientIds = (most: number) =>
  fc.array(recipientId(), { minLength: 1, maxLength: most }).map((ids) => RecipientIds.parse(ids));

const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,12}$/);
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const topLabel = fc.stringMatching(/^[a-z]{2,6}$/);

/** Addresses of the whole accepted form, built from parts; on `domain` when one is given. */
export const emailAddress = (domain?: string) =>
  fc
    .tuple(
      fc.array(atom, { minLength: 1, maxLength: 3 }),
      domain === undefined
        ? fc
            .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), topLabel)
            .map(([labels, top]) => [...labels, top].join("."))
        : fc.constant(domain),
    )
    .map(([atoms, at]) => EmailAddress.parse(`${atoms.join(".")}@${at}`));
