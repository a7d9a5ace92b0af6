import { z } from "zod";
import { RecipientId } from "../values/identifiers.ts";
import { Alias } from "./alias.ts";

const folded = (text: string): string => text.normalize("NFKC").toLowerCase();
const wordsOf = (text: string): readonly string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Which aliases a list shows. Everything given must hold. */
const filter = z.object({
  /** Only deleted aliases, or only those that are not (the default). */
  deleted: z.boolean().default(false),
  /** Only aliases that accept mail, or only those that do not. */
  active: z.boolean().optional(),
  /** The beginning of the address, or words of the description or their beginnings; case does not matter. */
  q: z.string().trim().min(1, "must not be empty").max(100, "must be at most 100 characters").optional(),
  /** Only aliases that hold this recipient. */
  recipient: RecipientId.optional(),
});
export type AliasFilter = Readonly<z.output<typeof filter>>;

const mentions = ({ email, description }: Alias, q: string): boolean => {
  if (folded(email).startsWith(folded(q))) return true;
  const asked = wordsOf(q);
  const words = wordsOf(description);
  return asked.length > 0 && asked.every((beginning) => words.some((word) => word.startsWith(beginning)));
};

export const AliasFilter = Object.assign(filter, {
  matches: (alias: Alias, { deleted, active, q, recipient }: AliasFilter): boolean =>
    (alias.deletedAt !== null) === deleted &&
    (active === undefined || alias.active === active) &&
    (recipient === undefined || Alias.holds(alias).includes(recipient)) &&
    (q === undefined || mentions(alias, q)),
});
