import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { tokenCache } from "../src/authentication/token-cache.ts";

const account = valueOf(parseAccountId("alice"));

test("keeps at most 10,000 tokens, and at least the 5,000 most recently used ones", () => {
  const cache = tokenCache();
  const isKnown = (token: string) => cache.find(token, 0) === account;
  const keep = (from: number, to: number) => {
    for (let i = from; i < to; i += 1) cache.keep(`token-${i}`, { account, expiresAt: 100 });
  };
  keep(0, 5_000);
  expect(isKnown("token-1")).toBe(true);
  keep(5_000, 5_001);
  expect(isKnown("token-0")).toBe(true);
  keep(5_001, 10_000);
  expect(["token-0", "token-1", "token-5000", "token-9999"].map(isKnown)).toEqual([true, false, true, true]);
});

test("forgets a token at the moment it expires", () => {
  const cache = tokenCache();
  cache.keep("token", { account, expiresAt: 100 });
  expect(cache.find("token", 99)).toBe(account);
  expect(cache.find("token", 100)).toBeNull();
  expect(cache.find("token", 99)).toBeNull();
});
