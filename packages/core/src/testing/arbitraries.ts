import * as fc from "fast-check";
import { parseRecipientIds } from "../alias/destinations.ts";
import { parseEmailAddress } from "../values/email-address.ts";
import { parseAccountId, parseAliasId, parseRecipientId } from "../values/identifiers.ts";
import { KEY_LIKE_IDS } from "./key-like-ids.ts";
import { valueOf } from "./value-of.ts";

/* fast-check arbitraries for domain values. */

/** `fc.stringMatching` would list all of Unicode first, which takes every test file half a second. */
const printable = fc
  .oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0xa1, max: 0x2_ff_ff }))
  .filter((codePoint) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(String.fromCodePoint(codePoint)))
  .map((codePoint) => String.fromCodePoint(codePoint));

const id = fc.oneof(
  fc.constantFrom(...KEY_LIKE_IDS),
  fc.uuid({ version: 7 }),
  fc.string({ unit: printable, minLength: 1, maxLength: 20 }),
);

export const accountId = () => id.map((text) => valueOf(parseAccountId(text)));
export const aliasId = () => id.map((text) => valueOf(parseAliasId(text)));
export const recipientId = () => id.map((text) => valueOf(parseRecipientId(text)));

/** Lists of 1 to `maxLength` recipient ids, some of them repeated. */
export const recipientIds = (maxLength: number) =>
  fc.array(recipientId(), { minLength: 1, maxLength }).map((ids) => valueOf(parseRecipientIds(ids)));

const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,12}$/);
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const topLabel = fc.stringMatching(/^[a-z]{2,6}$/);

/** Email addresses of every accepted form, built from parts; on `domain` if given. */
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
    .map(([atoms, at]) => valueOf(parseEmailAddress(`${atoms.join(".")}@${at}`)));
