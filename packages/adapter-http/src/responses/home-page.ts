import { type Language, type Service, wordsIn } from "@postern/core/words";
import { htmlEscape } from "escape-goat";
import { note, type Pages, text } from "./page.ts";
import type { ApiResponse } from "./response.ts";

/**
 * What a visitor sees who opens the address of the service: what it is, and nothing about this deployment.
 *
 * @param document where the API's document is; null if it is not public
 */
export const homePage = (
  { name }: Service,
  pages: Pages,
  language: Language,
  document: string | null,
): ApiResponse => {
  const words = wordsIn(language).home;
  const link =
    document === null ? [] : [htmlEscape`<p class="note"><a href="${document}">${words.document}</a></p>`];
  const body = [text(words.text(name)), note(words.visitors), ...link];
  return pages(200, { title: words.title, body: body.join("\n") }, language);
};
