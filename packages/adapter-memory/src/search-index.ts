import { type Alias, type AliasId, EmailAddress } from "@postern/core";
import { type SearchTerms, searchedWords } from "@postern/core/store";
import { beginnings } from "./beginnings.ts";

export type SearchIndex = {
  add(alias: Alias): void;
  remove(alias: Alias): void;
  /** The ids of some aliases, including all that match the terms; null if there are too many. */
  find(terms: SearchTerms): ReadonlySet<AliasId> | null;
};

/** Sorting this many ids takes about a millisecond. */
const MAX_FOUND = 1_000;

/** An index of the addresses and the words of descriptions and websites. */
export const searchIndex = (aliases: readonly Alias[]): SearchIndex => {
  const addresses = beginnings(aliases.map(({ email, id }) => [EmailAddress.key(email), id] as const));
  const words = beginnings(
    aliases.flatMap((alias) => searchedWords(alias).map((word) => [word, alias.id] as const)),
  );

  /** The rarest word determines which aliases have all words. */
  const withWords = (wanted: readonly string[]): ReadonlySet<AliasId> | null => {
    if (wanted.length === 0) return new Set();
    const [fewest] = wanted
      .map((start) => words.find(start, MAX_FOUND))
      .filter((found) => found !== null)
      .sort((a, b) => a.size - b.size);
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
      const [atAddress, described] = [addresses.find(terms.address, MAX_FOUND), withWords(terms.words)];
      return atAddress === null || described === null ? null : new Set([...atAddress, ...described]);
    },
  };
};
