import { type Alias, type AliasId, EmailAddress } from "@postern/core";
import { type SearchTerms, searchedWords } from "@postern/core/store";
import { beginnings, type Ids } from "./beginnings.ts";

export type SearchIndex = {
  add(alias: Alias): void;
  remove(alias: Alias): void;
  /** The ids of some aliases, including all that match the terms; null if there are too many lists of them. */
  find(terms: SearchTerms): readonly Ids<AliasId>[] | null;
};

/** Merging this many takes about a tenth of a millisecond. */
const MAX_LISTS = 1_000;

const sizeOf = (lists: readonly Ids<AliasId>[]): number =>
  lists.reduce((sum, ids) => sum + (typeof ids === "object" ? ids.size : 1), 0);

/** An index of the addresses and the words of descriptions and websites. */
export const searchIndex = (aliases: readonly Alias[]): SearchIndex => {
  const addresses = beginnings(aliases.map(({ email, id }) => [EmailAddress.key(email), id] as const));
  const words = beginnings(
    aliases.flatMap((alias) => searchedWords(alias).map((word) => [word, alias.id] as const)),
  );

  /** The rarest word determines which aliases have all words. */
  const withWords = (wanted: readonly string[]): readonly Ids<AliasId>[] | null => {
    if (wanted.length === 0) return [];
    const [fewest] = wanted
      .map((start) => words.find(start, MAX_LISTS))
      .filter((found) => found !== null)
      .sort((a, b) => sizeOf(a) - sizeOf(b));
    return fewest ?? null;
  };

  return {
    add: (alias) => {
      addresses.add(EmailAddress.key(alias.email), alias.id);
      for (const word of searchedWords(alias)) words.add(word, alias.id);
    },
    remove: (alias) => {
      addresses.remove(EmailAddress.key(alias.email), alias.id);
      for (const word of searchedWords(alias)) words.remove(word, alias.id);
    },
    find: (terms) => {
      const [atAddress, described] = [addresses.find(terms.address, MAX_LISTS), withWords(terms.words)];
      return atAddress === null || described === null ? null : [...atAddress, ...described];
    },
  };
};
