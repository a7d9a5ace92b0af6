import { type Service, type Words, wordsIn } from "@postern/core/words";
import { htmlEscape } from "escape-goat";
import type { ProblemCode } from "../problems/failure.ts";
import { type Content, note, type Pages, text } from "./page.ts";

/** A form with a button that follows the link. It has no action, so it is submitted to the page's own path under any mount path. */
const form = (token: string, action: "confirm" | "suppress", button: string): string => `<form method="get">
${htmlEscape`<input type="hidden" name="token" value="${token}">
<input type="hidden" name="${action}" value="true">`}
${button}
</form>`;

const suppressForm = (token: string, { suppress }: Words["page"]): string =>
  form(token, "suppress", htmlEscape`<button type="submit" class="quiet">${suppress}</button>`);

/** What the page of a link says; `token` is the link's. */
type PageOf =
  | { readonly done: "nothing"; readonly token: string }
  | { readonly done: "verified" | "suppressed" }
  /** `token` is that of a link that no longer confirms but may still suppress; null if there is none. */
  | { readonly failed: ProblemCode; readonly token: string | null };

const failure = (code: ProblemCode, token: string | null, words: Words["page"], service: string): Content => {
  const { unavailable, incomplete, outdated } = words;
  if (code === "unavailable") return { title: unavailable.title, body: text(unavailable.text) };
  if (token === null) return { title: incomplete.title, body: text(incomplete.text(service)) };
  const body = [text(outdated.text(service)), note(outdated.otherwise), suppressForm(token, words)];
  return { title: outdated.title, body: body.join("\n") };
};

const content = (page: PageOf, words: Words["page"], service: string): Content => {
  if ("failed" in page) return failure(page.failed, page.token, words, service);
  const { confirm, confirmed, suppressed } = words;
  switch (page.done) {
    case "nothing": {
      const button = htmlEscape`<button type="submit">${confirm.button}</button>`;
      const body = [
        text(confirm.text(service)),
        form(page.token, "confirm", button),
        note(confirm.otherwise),
        suppressForm(page.token, words),
      ];
      return { title: confirm.title, body: body.join("\n") };
    }
    case "verified":
      return { title: confirmed.title, body: text(confirmed.text) };
    case "suppressed":
      return { title: suppressed.title, body: text(suppressed.text(service)) };
  }
};

export type VerifyPages = Pages<PageOf>;

/** The pages that verification links lead to. */
export const verifyPages =
  ({ name }: Service, pages: Pages): VerifyPages =>
  (status, page, language, headers) =>
    pages(status, content(page, wordsIn(language).page, name), language, headers);
