import { type OpenSpool, spoolContract } from "@postern/adapter-contracts";
import { testSpool } from "@postern/adapter-contracts/vitest";
import { memorySpool } from "@postern/adapter-memory";
import type { Spool } from "@postern/mail";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { MODEL } from "./support/broken-spools/broken-spool.ts";
import { brokenSpools } from "./support/broken-spools/index.ts";
import { durableSpool } from "./support/durable-spool.ts";
import { failuresOf } from "./support/failures-of.ts";

/**
 * Random sequences are the same every time, so that what they find once they always find. Nobody reads which one a broken spool fails
 * with, so it need not be the shortest one.
 */
const sequences = (seed: number) => ({ seed, endOnFailure: true });
const before = fc.readConfigureGlobal();
afterAll(() => fc.configureGlobal(before));

const failureOf = failuresOf(spoolContract);

const inMemory: OpenSpool = async ({ limit }) => ({ spool: memorySpool({ limit }), close: async () => {} });

test("each check has its own name", () => {
  expect(new Set(spoolContract.map(({ name }) => name)).size).toBe(spoolContract.length);
});

test("there is a broken spool for each check", () => {
  const noticing = new Set(brokenSpools.flatMap(({ noticedBy }) => noticedBy));
  expect(spoolContract.map(({ name }) => name).filter((name) => !noticing.has(name))).toEqual([]);
});

testSpool("a spool that survives crashes passes", durableSpool());

describe("the contract notices that", () => {
  test.for(brokenSpools)("$flaw", async ({ noticedBy, open }) => {
    for (const name of noticedBy) {
      let failure: string | undefined;
      for (let seed = 1; failure === undefined && seed <= (name === MODEL ? 5 : 1); seed += 1) {
        fc.configureGlobal(sequences(seed));
        failure = await failureOf(name, open);
      }
      expect(failure, name).toBeDefined();
      expect(failure).not.toContain("ports never reject");
    }
  });

  const PORTS: readonly (keyof Spool)[] = [
    "receive",
    "keep",
    "find",
    "take",
    "nextDue",
    "settle",
    "sweep",
    "size",
  ];
  test.for(PORTS)("%s rejects", async (port) => {
    const [{ name } = { name: "" }] = spoolContract.filter((check) =>
      check.name.startsWith("bodies are forgotten"),
    );
    const open: OpenSpool = async (options) => {
      const opened = await inMemory(options);
      return {
        ...opened,
        spool: { ...opened.spool, [port]: () => Promise.reject(new Error("the disk is gone")) },
      };
    };
    const check = port === "find" || port === "nextDue" ? MODEL : name;
    expect(await failureOf(check, open)).toContain(`${port} rejected: ports never reject (the disk is gone)`);
  });
});

test("a check closes the spool that it opens, whether it passes or fails", async () => {
  for (const port of ["size", "nothing"]) {
    const close = vi.fn(async () => {});
    const open = vi.fn(async ({ limit }: { readonly limit: number }) => ({
      spool: { ...memorySpool({ limit }), [port]: () => Promise.reject(new Error("broken")) },
      close,
    }));
    await failureOf("a discarded body is gone, and cannot be kept", open);
    expect(open).toHaveBeenCalledOnce();
    expect(close).toHaveBeenCalledOnce();
  }
});
