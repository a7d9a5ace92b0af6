import * as z from "zod";
import { type RecipientId, recipientId } from "../values/identifiers.ts";
import { Alias } from "./alias.ts";

/** Which aliases a list returns. All conditions that are set must hold. */
export type AliasFilter = {
  /** Only deleted aliases, or only live ones. */
  readonly deleted: boolean;
  /** Only aliases that accept mail, or only those that do not. */
  readonly active?: boolean | undefined;
  /** The start of the address, or the starts of words in the description. Ignores case. */
  readonly q?: string | undefined;
  /** Only live aliases that this recipient is attached to. */
  readonly recipient?: RecipientId | undefined;
};

/** The maximum length of a search text, in UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 100;

export const aliasFilter = z.object({
  deleted: z.boolean().default(false),
  active: z.boolean().optional(),
  q: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(MAX_SEARCH_LENGTH, `must be at most ${MAX_SEARCH_LENGTH} characters`)
    .optional(),
  recipient: recipientId.optional(),
});

const folded = (text: string): string => text.normalize("NFKC").toLowerCase();
const wordsOf = (text: string): readonly string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

const mentions = ({ email, description }: Alias, q: string): boolean => {
  if (folded(email).startsWith(folded(q))) return true;
  const wanted = wordsOf(q);
  const words = wordsOf(description);
  return wanted.length > 0 && wanted.every((beginning) => words.some((word) => word.startsWith(beginning)));
};

export const AliasFilter = {
  /** The definition of a filtered list: a store returns exactly the aliases that match. */
  matches: (alias: Alias, { deleted, active, q, recipient }: AliasFilter): boolean =>
    (alias.deletedAt !== null) === deleted &&
    (active === undefined || alias.active === active) &&
    (recipient === undefined || Alias.attachedRecipients(alias).includes(recipient)) &&
    (q === undefined || mentions(alias, q)),
};
