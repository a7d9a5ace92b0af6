import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Language } from "./language.ts";
import type { Words } from "./words.ts";

const WORDS: Readonly<Record<Language, Words>> = { en: english, de: german };

/** The words in this language. */
export const wordsIn = (language: Language): Words => WORDS[language];
