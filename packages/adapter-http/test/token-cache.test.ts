import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { tokenCache } from "../src/authentication/token-cache.ts";

const account = valueOf(parseAccountId("alice"));

test("keeps 10,000 tokens and evicts the oldest", () => {
  const cache = tokenCache();
  for (let i = 0; i < 10_001; i += 1) cache.keep(`token-${i}`, { account, expiresAt: 100 });
  expect(cache.find("token-0", 0)).toBeNull();
  expect(cache.find("token-1", 0)).toBe(account);
  expect(cache.find("token-10000", 0)).toBe(account);
});

test("forgets a token at the moment it expires", () => {
  const cache = tokenCache();
  cache.keep("token", { account, expiresAt: 100 });
  expect(cache.find("token", 99)).toBe(account);
  expect(cache.find("token", 100)).toBeNull();
  expect(cache.find("token", 99)).toBeNull();
});
