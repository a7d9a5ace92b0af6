import { LANGUAGES } from "@postern/core/words";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { preferredLanguage } from "../src/requests/preferred-language.ts";

describe("the language of a browser that sends Accept-Language", () => {
  test.each([
    // As Chrome, Firefox and Safari send it.
    ["de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "de"],
    ["de,en-US;q=0.7,en;q=0.3", "de"],
    ["de-AT", "de"],
    ["en-GB,en-US;q=0.9,en;q=0.8,de;q=0.7", "en"],
    ["fr-FR,fr;q=0.9,de;q=0.8,en;q=0.7", "de"],
    // A region comes before what is between it and its language.
    ["de-AT,en-US;q=0.7,de;q=0.3", "de"],
    ["EN-gb;q=0.4 , DE-ch ; q=0.6", "de"],
    ["en,de", "en"],
    ["de,en", "de"],
    ["de;q=0,en;q=0.001", "en"],
    ["de-Latn-DE-1996", "de"],
    ["english,de;q=0.2", "de"],
  ])("%s is %s", (header, language) => {
    for (const fallback of LANGUAGES) expect(preferredLanguage(header, fallback)).toBe(language);
  });

  test.each([
    undefined,
    "",
    "*",
    "fr",
    "fr,*;q=0.5",
    "*,de;q=0.5,en;q=0.5",
    "dee,e",
    "de_DE",
    "de;q=2",
    "de;q=0.1234",
    "de;q=-1",
    "de;q=",
    "de;level=1",
    "de-",
    "de;q=0",
    ";,;,q=1",
    "constructor,__proto__",
    "\u0000",
  ])("%j leaves it to the setting", (header) => {
    for (const fallback of LANGUAGES) expect(preferredLanguage(header, fallback)).toBe(fallback);
  });

  test("is the one with the greatest weight, whatever else it sends", () => {
    const foreign = fc.constantFrom("fr", "nl-BE;q=0.9", "*;q=0.001", "x;y", "", " ", "de;q=1.5");
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...LANGUAGES], { minLength: 2 }),
        fc.array(foreign, { maxLength: 10 }),
        fc.constantFrom("", "-CH", "-Latn-LI"),
        ([first = "en", second = "en"], others, region) => {
          const ranges = [`${second};q=0.5`, ...others, `${first}${region};q=0.8`];
          expect(preferredLanguage(ranges.join(","), second)).toBe(first);
        },
      ),
    );
  });

  test("what it sends is read up to a limit, and can be anything", () => {
    expect(preferredLanguage(`${"fr,".repeat(100)}de`, "en")).toBe("en");
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."de-en*;q=0.1, \t\u00e4"), maxLength: 200 }),
        (header) => {
          expect(LANGUAGES).toContain(preferredLanguage(header, "de"));
        },
      ),
    );
  });
});
