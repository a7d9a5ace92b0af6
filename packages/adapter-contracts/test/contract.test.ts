import { contract } from "@postern/adapter-contracts";
import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { describe, expect, test } from "vitest";
import { brokenStores } from "./support/broken-stores.ts";

/** The names of the promises that a store breaks. */
const broken = async (open: () => Store): Promise<string[]> => {
  const names: string[] = [];
  for (const { name, run } of contract) {
    await run(open()).catch(() => names.push(name));
  }
  return names;
};

describe("the contract", () => {
  test("names each promise once", () => {
    expect(new Set(contract.map(({ name }) => name)).size).toBe(contract.length);
  });

  test("holds for the store that is right", async () => {
    expect(await broken(memoryStore)).toEqual([]);
  });

  test.for(brokenStores)("notices: $flaw", async ({ noticedBy, open }) => {
    expect(await broken(open)).toContain(noticedBy);
  });
});
