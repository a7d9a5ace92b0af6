import fc from "fast-check";
import { expect, test } from "vitest";
import { markup } from "../src/templates/markup.ts";
import { decoded } from "./support/html.ts";

test("whatever fills a slot is read back as that text, between tags and in attributes", () => {
  const text = fc.string({ unit: fc.constantFrom(..."<>&\"'/=;#a1 é\n", "&amp;", "\\n", "</p>") });
  fc.assert(
    fc.property(text, text, (attribute, content) => {
      const html = markup`<p title="${attribute}">${content}</p>`;
      const [, title, inner] = html.match(/^<p title="([^"<>]*)">([^<>]*)<\/p>$/) ?? [];
      expect(decoded(title ?? "?")).toBe(attribute);
      expect(decoded(inner ?? "?")).toBe(content);
    }),
  );
});
