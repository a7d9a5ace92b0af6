import { searchedWords, searchTerms } from "@postern/core/store";
import { expect, test } from "vitest";

test.each([
  ["", "", []],
  ["Shop", "", ["shop"]],
  ["The shop, the news & ½", "", ["the", "shop", "news", "1", "2"]],
  ["Shop", "news.shop.example", ["shop", "news", "example"]],
  ["", "xn--mnchen-3ya.example", ["xn", "mnchen", "3ya", "example"]],
])("the words of the description %j and the website %j are %j", (description, website, words) => {
  expect(searchedWords({ description, website })).toEqual(words);
});

test("a search text stands for the beginning of an address, and for the beginnings of up to 8 words", () => {
  expect(searchTerms("Shop.News")).toEqual({ address: "shop.news", words: ["shop", "news"] });
  expect(searchTerms("a b c d e f g h")).toMatchObject({ words: [..."abcdefgh"] });
  expect(searchTerms("a b c d e f g h i")).toEqual({ address: "a b c d e f g h i", words: [] });
});
