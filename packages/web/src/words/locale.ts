/** For dates and numbers: the most preferred locale in the language of the words, such as `en-GB`. */
export let locale = "en";

export const setLocale = (chosen: string): void => {
  locale = chosen;
};
