import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { accountTags } from "../src/serve/observability/account-tag.ts";

const ada = valueOf(parseAccountId("ada"));
const bob = valueOf(parseAccountId("bob"));
const tag = accountTags("0123456789abcdef0123456789abcdef");

test("an account always has the same tag, and different accounts have different tags", () => {
  expect(tag(ada)).toMatch(/^[\w-]{16}$/);
  expect(accountTags("0123456789abcdef0123456789abcdef")(ada)).toBe(tag(ada));
  expect(tag(bob)).not.toBe(tag(ada));
});

test("another secret gives another tag, so accounts cannot be guessed without it", () => {
  expect(accountTags("another-secret-another-secret-32")(ada)).not.toBe(tag(ada));
});
