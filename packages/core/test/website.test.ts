import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { description, descriptionOf, MAX_DESCRIPTION_LENGTH } from "../src/alias/description.ts";
import { websiteHost } from "../src/alias/website.ts";
import { cut } from "../src/values/plain-text.ts";
import { account, alias, ports, service, store, storedAlias, useAccount } from "./support/account.ts";

/** Anything that a program could send, whole or in parts that people and browsers use. */
const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 600 }),
  fc
    .array(
      fc.constantFrom(
        "https://",
        "androidapp://",
        "Shop.Example",
        "münchen.example",
        "user:password@",
        ":8443",
        "/cart?q=1#top",
        "[::1]",
        "127.1",
        ".",
        " ",
        "\u0000",
        "about:blank",
        "👩‍👩‍👧‍👦",
        "\ud83d",
        "ﷺ",
        "x".repeat(300),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join("")),
);

describe("the host of a website", () => {
  test.each([
    ["", ""],
    ["shop.example", "shop.example"],
    ["  Shop.Example. ", "shop.example"],
    ["https://Shop.Example:8443/cart?q=1#top", "shop.example"],
    ["https://user:password@shop.example/", "shop.example"],
    ["shop.example:8443/cart", "shop.example"],
    ["http://münchen.example/", "xn--mnchen-3ya.example"],
    ["http://[::1]:8080/", "[::1]"],
    ["androidapp://com.shop.app", "com.shop.app"],
    ["file:///etc/passwd", "file:///etc/passwd"],
    ["about:blank", "about:blank"],
    ["x".repeat(300), ""],
    ["androidapp://127.1", "127.0.0.1"],
    ["My shop\u0000\n", "my shop"],
    ["\ud83d", "\ufffd"],
  ])("in %j is %j", (text, host) => {
    expect(websiteHost(text)).toBe(host);
  });

  test("is short plain text, whatever it is looked for in, and is found again in itself", async () => {
    await fc.assert(
      fc.property(anything, (text) => {
        const host = websiteHost(text);
        expect(host.length).toBeLessThanOrEqual(253);
        expect(host).not.toMatch(/\p{Cc}/u);
        expect(host.isWellFormed()).toBe(true);
        expect(host).toBe(host.trim());
        expect(websiteHost(host)).toBe(host);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("what a description can hold of a text", () => {
  test("is a description, and the beginning of the text, as plain text", async () => {
    await fc.assert(
      fc.property(anything, (text) => {
        const kept = descriptionOf(text);
        expect(description.safeParse(kept).data).toBe(kept);
        expect(descriptionOf(kept)).toBe(kept);
      }),
      { numRuns: 2_000 },
    );
    expect(descriptionOf(" Website: shop.example\r\nGenerated ")).toBe("Website: shop.example Generated");
    expect(descriptionOf("x".repeat(5_000))).toBe("x".repeat(MAX_DESCRIPTION_LENGTH));
    // Each is 18 characters long once it is normalized.
    expect(descriptionOf("ﷺ".repeat(5_000))).toBe("ﷺ".repeat(27));
  });

  test("ends with a whole character as people see it", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(descriptionOf(family.repeat(500))).toBe(
      family.repeat(Math.floor(MAX_DESCRIPTION_LENGTH / family.length)),
    );
    expect(cut("ab👍🏽", 5)).toBe("ab");
    expect(cut("ab👍🏽", 6)).toBe("ab👍🏽");
    expect(cut("ae\u0301", 2)).toBe("a");
  });
});

describe("updateAliasWebsite", () => {
  useAccount();

  const update = (website: string, more: { readonly expectedVersions?: readonly number[] } = {}) =>
    service().updateAliasWebsite({ account, aliasId: alias.id, website, ...more });

  beforeEach(async () => {
    valueOf(await update("https://shop.example/cart"));
  });

  test("keeps the host, by which the alias is found, and changes nothing else", async () => {
    expect(await storedAlias()).toEqual({
      ...alias,
      website: "shop.example",
      updatedAt: ports.clock.now(),
      version: 2,
    });
    for (const [q, found] of [
      ["shop", 1],
      ["exam", 1],
      ["cart", 0],
    ] as const) {
      expect(valueOf(await service().listAliases({ account, q })).items).toHaveLength(found);
    }
  });

  test("writes nothing if nothing changes", async () => {
    const save = vi.spyOn(store.aliases, "save");
    expect(valueOf(await update("shop.example")).version).toBe(2);
    expect(save).not.toHaveBeenCalled();
  });

  test("refuses text that is too long, a stale version and a deleted alias", async () => {
    expect(await update("x".repeat(2_001))).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: ["website"] }] },
    });
    expect(await update("", { expectedVersions: [1] })).toEqual({ error: { code: "precondition_failed" } });
    valueOf(await update(""));
    expect((await storedAlias()).website).toBe("");
    valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
    expect(await update("shop.example")).toEqual({ error: { code: "alias_deleted" } });
  });
});
