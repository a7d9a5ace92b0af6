import { parseAliasDomains } from "@postern/core";
import { describe, expect, test } from "vitest";

describe("AliasDomains", () => {
  test("must be at least one valid domain name", () => {
    const tooLong = `${"a.".repeat(92)}example`;
    expect(parseAliasDomains([tooLong.slice(2), "b.example"]).isOk()).toBe(true);
    for (const bad of [[], ["localhost"], ["a@b.example"], [tooLong], "alias.example"]) {
      expect(parseAliasDomains(bad).isErr()).toBe(true);
    }
  });
});
