import { type Alias, MAX_RECIPIENTS } from "@postern/core";
import { parseAlias, Tallies } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { emailAddress } from "@postern/core/testing/arbitraries";
import fc from "fast-check";
import { expect, test } from "vitest";
import { aliasJson } from "../src/responses/alias-json.ts";
import { aliasPage } from "../src/responses/alias-page.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

const issuer = useIssuer();

const aliasTo = (destinations: number, email: string, description = ""): Alias =>
  valueOf(
    parseAlias({
      id: "alias",
      account: "alice",
      email,
      description,
      active: true,
      destinations: Array.from({ length: destinations }, (_, n) => ({ recipientId: `${n}`, email })),
      tallies: Tallies.none,
      createdAt: 1,
      updatedAt: 2,
      deletedAt: null,
      version: 1,
    }),
  );

const textOf = (parts: ReturnType<typeof aliasPage>) => parts.map((render) => render()).join("");

const alias = fc
  .tuple(
    fc.integer({ min: 1, max: MAX_RECIPIENTS }),
    emailAddress(),
    fc.constantFrom("", "the shop", "„Größe“", '"],\\'),
  )
  .map((fields) => aliasTo(...fields));

test("the joined parts of a page are its JSON", () => {
  fc.assert(
    fc.property(
      fc.array(alias, { maxLength: 100, size: "max" }),
      fc.option(fc.string()),
      (aliases, cursor) => {
        const json = JSON.stringify({ aliases: aliases.map(aliasJson), next_cursor: cursor });
        expect(textOf(aliasPage(aliases, cursor))).toBe(json);
      },
    ),
    { numRuns: 20 },
  );
});

test("no part of a page is large, however large the page is", () => {
  const longest = aliasTo(
    MAX_RECIPIENTS,
    `${"a".repeat(64)}@${"b".repeat(61)}.${"c".repeat(61)}.${"d".repeat(55)}.example`,
  );
  const parts = aliasPage(Array(100).fill(longest), null);
  expect(textOf(parts).length).toBeGreaterThan(800_000);
  for (const render of parts) expect(render().length).toBeLessThan(128 * 1024);
});

test("a small page is one part", () => {
  const small = aliasTo(3, "me@home.example");
  expect(aliasPage(Array(100).fill(small), null)).toHaveLength(1);
  expect(aliasPage([], null)).toHaveLength(1);
});

test("a page in several parts is sent in full, and HEAD has its length", async () => {
  const world = await openWorld(issuer());
  const recipients: string[] = [];
  for (let n = 0; n < MAX_RECIPIENTS; n += 1) recipients.push(await world.recipient(`r${n}`));
  const made: unknown[] = [];
  for (let n = 0; n < 20; n += 1) made.unshift(await world.alias(`shop${n}`, recipients));
  const page = await world.call("GET", "/aliases");
  expect(page.body).toEqual({ aliases: made, next_cursor: null });
  const head = await world.call("HEAD", "/aliases");
  expect(head).toMatchObject({ status: 200, body: "" });
  expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(JSON.stringify(page.body))));
  expect(page.headers["content-length"]).toBe(head.headers["content-length"]);
});
