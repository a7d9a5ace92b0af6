import { MAX_DESCRIPTION_LENGTH } from "../description.ts";
import { folded, wordsOf } from "./search-text.ts";

/** The maximum number of different words in a search text, unless it can be the beginning of an address. */
export const MAX_SEARCH_WORDS = 8;

/** What a search text looks for: see `AliasFilter.matches`. The terms are folded, and so is the text that they are compared with. */
export type SearchTerms = {
  /** Matches an address that, in lower case, begins with this. */
  readonly address: string;
  /** Together, these match an alias if each is the beginning of one of its words. If empty, no words match. */
  readonly words: readonly string[];
};

/** The different words of a search text. */
export const wantedWords = (q: string): readonly string[] => [...new Set(wordsOf(folded(q)))];

export const searchTerms = (q: string): SearchTerms => {
  const words = wantedWords(q);
  return { address: folded(q), words: words.length <= MAX_SEARCH_WORDS ? words : [] };
};

/** The parts of an alias whose words a search text is compared with. */
export type SearchedText = { readonly description: string; readonly website: string };

const wordsIn = (text: string): readonly string[] =>
  wordsOf(folded(text.slice(0, MAX_DESCRIPTION_LENGTH)).slice(0, MAX_DESCRIPTION_LENGTH));

/** The words of an alias that searches compare: those of its description, and then those of its website. */
export const comparedWords = ({ description, website }: SearchedText): readonly string[] =>
  website === "" ? wordsIn(description) : [...wordsIn(description), ...wordsIn(website)];

/**
 * The different words of an alias that searches compare, for stores that keep an index: a text matches a description
 * if each of its `SearchTerms.words` is the beginning of one of these. Only letters and digits, 1 to 500 UTF-16 code units.
 * Which characters are letters depends on the runtime's version of Unicode.
 */
export const searchedWords = (alias: SearchedText): readonly string[] => [...new Set(comparedWords(alias))];
