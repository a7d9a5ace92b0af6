import { LANGUAGES, parseLanguage, parseService, type Words, wordsIn } from "@postern/core/words";
import { describe, expect, test } from "vitest";

const NAME = "Brief & Siegel";

type Texts = string | ((service: string) => string) | { readonly [name: string]: Texts };

const flat = (texts: Texts): readonly string[] => {
  if (typeof texts === "string") return [texts];
  return typeof texts === "function" ? [texts(NAME)] : Object.values(texts).flatMap(flat);
};

/** Everything that is said, with all of its variants. */
const textsOf = ({ message: { lifetime, ...message }, ...words }: Words): readonly string[] => [
  ...flat({ ...words, message }),
  ...[1, 2, 24].map(lifetime),
];

describe.each(LANGUAGES)("in the language %s", (language) => {
  const texts = textsOf(wordsIn(language));

  test("names the service where it is meant", () => {
    const english = textsOf(wordsIn("en"));
    expect(texts.map((text) => text.includes(NAME))).toEqual(english.map((text) => text.includes(NAME)));
  });

  test("everything is translated", () => {
    for (const other of LANGUAGES.filter((each) => each !== language)) {
      const foreign = textsOf(wordsIn(other));
      expect(texts.filter((text) => foreign.includes(text))).toEqual([]);
    }
  });

  test("is set properly: no quotes, dashes or dots of a typewriter, and no stray spaces", () => {
    expect(texts.filter((text) => /["'`]|\.\.\.| - |--| [.,:;!?]|\s{2}|^\s|\s$/.test(text))).toEqual([]);
  });

  test("one hour is singular", () => {
    const { lifetime } = wordsIn(language).message;
    expect(lifetime(1)).not.toMatch(/\d|hours|Stunden/);
    expect(lifetime(24)).toMatch(/\b24 (hours|Stunden)\b/);
  });
});

test("a language is one that has words", () => {
  expect(LANGUAGES.map((each) => parseLanguage(each).isOk())).toEqual(LANGUAGES.map(() => true));
  expect(parseLanguage("fr")).toMatchObject({
    error: { issues: [{ path: [], reason: "must be one of: en, de" }] },
  });
});

describe("a service", () => {
  test.each([
    { name: "Posthorn" },
    { name: "Müller & Söhne <Post>" },
    { name: "x".repeat(64), url: "https://posthorn.example" },
    { name: "郵便 📮", url: "http://intranet.example:8080/mail?for=us#top" },
    { name: "Brieftaube", url: "https://briefträger.example/über-uns" },
  ])("%j", (service) => {
    expect(parseService(service)).toMatchObject({ value: service });
  });

  test.each([
    ["", "must contain at least one letter, digit or sign"],
    ["\u200b", "must contain at least one letter, digit or sign"],
    ["x".repeat(65), "must be at most 64 characters"],
    ["Posthorn\r\nBcc: eve@example.com", "must be text on one line, without control characters"],
    ["Posthorn\u0000", "must be text on one line, without control characters"],
    ["Post\u2028horn", "must be text on one line, without control characters"],
    ["\u202enrohtsoP", "must be text on one line, without control characters"],
    ["Posthorn\ud800", "must be text on one line, without control characters"],
    ["=?utf-8?Q?Posthorn?=", "must not contain =?, which mail programs decode"],
    [" Posthorn", "must not begin or end with a space"],
    ["Posthorn\u00a0", "must not begin or end with a space"],
  ])("is not called %j", (name, reason) => {
    expect(parseService({ name })).toMatchObject({ error: { issues: [{ path: ["name"], reason }] } });
  });

  test.each([
    "",
    "posthorn.example",
    "javascript:alert(1)",
    "https://",
    "https://user@posthorn.example",
    "https://user:pass@posthorn.example",
    "https://posthorn.example/a b",
    "https://posthorn.example/\n",
    "https://posthorn.example/\u202e",
    `https://posthorn.example/${"x".repeat(500)}`,
  ])("has no website at %j", (url) => {
    const refused = parseService({ name: "Posthorn", url });
    expect(refused).toMatchObject({ error: { issues: [{ path: ["url"] }] } });
  });
});
