import type { Words } from "@postern/core/words";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verificationHtml } from "../src/verification/verification-html.ts";
import { decoded } from "./support/html.ts";

const text = fc.string({
  unit: fc.constantFrom(..."<>&\"'/=;#a1 é\n", "&amp;", "\\n", "</p>"),
  minLength: 1,
});

const slot = (html: string, pattern: RegExp): string =>
  decoded(pattern.exec(html)?.[1] ?? expect.unreachable(`nothing matches ${pattern}`));

test("escapes any wording, link and service, between tags and in attributes", () => {
  fc.assert(
    fc.property(
      fc.record({
        subject: text,
        request: text,
        openLink: text,
        button: text,
        noButton: text,
        ignored: text,
        neverAgain: text,
      }),
      fc.record({ name: text, url: text }),
      text,
      (words, service, link) => {
        const spoken: Words["message"] = {
          ...words,
          subject: (name) => words.subject + name,
          request: (name) => words.request + name,
          lifetime: () => words.openLink,
        };
        const html = verificationHtml(spoken, { service, language: "de", link, hours: 24 });
        expect({
          subject: slot(html, /<title>([^<>]*)<\/title>/),
          request: slot(html, /auto">\n<p>([^<>]*)<\/p>/),
          openLink: slot(html, /<\/a><\/p>\n<p>([^<>]*)<\/p>/),
          button: slot(html, /text-decoration: none">([^<>]*)<\/a>/),
          noButton: slot(html, /<p>([^<>]*)<br>/),
          ignored: slot(html, /<p>([^<>]*)<\/p>\n<p>[^<>]*<\/p>\n<p>[^<>]*<br>/),
          neverAgain: slot(
            html,
            /<p>([^<>]*)<\/p>\n<p>[^<>]*<br><a href="[^"<>]*">[^<>]*<\/a><\/p>\n<\/div>/,
          ),
        }).toEqual({
          ...words,
          subject: words.subject + service.name,
          request: words.request + service.name,
        });
        expect(slot(html, /24px 0"><a href="([^"<>]*)"/)).toBe(link);
        expect(slot(html, /<br><a href="([^"<>]*)" style/)).toBe(link);
        expect(slot(html, /break-all">([^<>]*)<\/a>/)).toBe(link);
        expect(slot(html, /<p>([^<>]*)<br><a href="[^"<>]*">/)).toBe(service.name);
        expect(slot(html, /<br><a href="([^"<>]*)">/)).toBe(service.url);
        expect(slot(html, /<br><a href="[^"<>]*">([^<>]*)<\/a>/)).toBe(service.url);
      },
    ),
  );
});
