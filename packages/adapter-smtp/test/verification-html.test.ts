import fc from "fast-check";
import { expect, test } from "vitest";
import { verificationHtml } from "../src/templates/verification-html.ts";
import { decoded } from "./support/html.ts";

const text = fc.string({
  unit: fc.constantFrom(..."<>&\"'/=;#a1 é\n", "&amp;", "\\n", "</p>"),
  minLength: 1,
});

const slot = (html: string, pattern: RegExp): string =>
  decoded(pattern.exec(html)?.[1] ?? expect.unreachable(`nothing matches ${pattern}`));

test("escapes any wording and link, between tags and in attributes", () => {
  fc.assert(
    fc.property(
      fc.record({
        language: text,
        subject: text,
        request: text,
        openLink: text,
        button: text,
        noButton: text,
        ignored: text,
        neverAgain: text,
      }),
      text,
      (words, link) => {
        const html = verificationHtml({ ...words, lifetime: () => words.openLink }, { link, hours: 24 });
        expect({
          language: slot(html, /<html lang="([^"<>]*)">/),
          subject: slot(html, /<title>([^<>]*)<\/title>/),
          request: slot(html, /auto">\n<p>([^<>]*)<\/p>/),
          openLink: slot(html, /<\/a><\/p>\n<p>([^<>]*)<\/p>/),
          button: slot(html, /text-decoration: none">([^<>]*)<\/a>/),
          noButton: slot(html, /<p>([^<>]*)<br>/),
          ignored: slot(html, /<p>([^<>]*)<\/p>\n<p>[^<>]*<\/p>\n<\/div>/),
          neverAgain: slot(html, /<p>([^<>]*)<\/p>\n<\/div>/),
        }).toEqual(words);
        expect(slot(html, /24px 0"><a href="([^"<>]*)"/)).toBe(link);
        expect(slot(html, /<br><a href="([^"<>]*)"/)).toBe(link);
        expect(slot(html, /break-all">([^<>]*)<\/a>/)).toBe(link);
      },
    ),
  );
});
