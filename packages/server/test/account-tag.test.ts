import { AccountId } from "@postern/core";
import { expect, test } from "vitest";
import { accountTags } from "../src/observability/account-tag.ts";

const ada = AccountId.parse("ada");
const bob = AccountId.parse("bob");
const tag = accountTags("0123456789abcdef0123456789abcdef");

test("the same account has the same tag, another one another", () => {
  expect(tag(ada)).toMatch(/^[\w-]{16}$/);
  expect(accountTags("0123456789abcdef0123456789abcdef")(ada)).toBe(tag(ada));
  expect(tag(bob)).not.toBe(tag(ada));
});

test("another secret gives another tag, so that nobody without it can try out accounts", () => {
  expect(accountTags("another-secret-another-secret-32")(ada)).not.toBe(tag(ada));
});
