import { htmlEscape } from "escape-goat";

const URLS = /(http:\/\/[\w.:/?=&%~-]+)/;

/** The text of a message, as HTML. Links to the API can be followed; others stay text, because mail is not to be trusted. */
export const linked = (text: string, api: string): string =>
  text
    .split(URLS)
    .map((part) =>
      part.startsWith(`${api}/`) ? htmlEscape`<a href="${part}">${part}</a>` : htmlEscape(part),
    )
    .join("");
