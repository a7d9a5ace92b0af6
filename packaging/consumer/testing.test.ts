/* What the packages provide for their users' tests. */
import { testStore } from "@postern/adapter-contracts/vitest";
import { memoryStore } from "@postern/adapter-memory";
import { parseEmailAddress } from "@postern/core";
import { emailAddress } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { expect, test } from "vitest";

testStore("memoryStore", async () => ({ store: memoryStore(), close: async () => {} }));

test("generates addresses that parse", () => {
  for (const email of fc.sample(emailAddress(), 100)) expect(parseEmailAddress(email).isOk()).toBe(true);
});
