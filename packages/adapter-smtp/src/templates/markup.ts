const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** HTML in which whatever fills a slot is text, escaped so that it stays text, in attributes too. */
export const markup = (html: TemplateStringsArray, ...slots: readonly string[]): string =>
  String.raw({ raw: html }, ...slots.map(escaped));
