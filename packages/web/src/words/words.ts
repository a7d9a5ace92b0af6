import type { Words } from "./english.ts";
import { setLocale } from "./locale.ts";

/** The words of the chosen language. Nothing is rendered before `chooseLanguage` is done. */
export let words: Words;

const LANGUAGES = {
  en: async () => (await import("./english.ts")).english,
  de: async () => (await import("./german.ts")).german,
};

const isLanguage = (language: string | undefined): language is keyof typeof LANGUAGES =>
  language !== undefined && language in LANGUAGES;

/** Some systems make browsers name locales that are none, such as `en-US@posix`. */
const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
};

/** Chooses the first language of the browser's that there are words in; English if there are none. */
export const chooseLanguage = async (preferred: readonly string[]): Promise<void> => {
  for (const tag of [...preferred, "en"]) {
    const language = tag.split("-")[0];
    if (!isLanguage(language)) continue;
    words = await LANGUAGES[language]();
    setLocale(isLocale(tag) ? tag : language);
    document.documentElement.lang = language;
    return;
  }
};

/** The words for a value of the API's. For one of a newer API that this app does not know, the API's own words if there are any, or itself. */
export const wordFor = (known: Readonly<Record<string, string>>, value: string, own = value): string =>
  Object.hasOwn(known, value) ? (known[value] ?? own) : own;
