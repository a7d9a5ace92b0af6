import fc from "fast-check";
import { expect, test } from "vitest";
import { clientWith } from "../src/client.ts";
import { OPERATIONS } from "../src/generated/operations.ts";
import { createClient } from "../src/index.ts";
import { inputOf, prepare } from "../src/request.ts";
import { startService } from "./support/service.ts";

const { proxy, newAccount } = await startService();

const withIds = Object.entries(OPERATIONS).filter(([, { path }]) => path.includes("{"));

/** Everything that people paste in place of an id, and everything else. */
const id = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "/",
    "%",
    "%2e%2e",
    "..%2f",
    "a/../b",
    "a?b#c",
    "\\",
    " ",
    "\0",
    "é",
    "🙂",
    "\ud800",
  ),
);

test("whatever is passed as an id stays where it belongs in the path, or is refused", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...withIds),
      fc.array(id, { minLength: 2, maxLength: 2 }),
      ([name, row], ids) => {
        const used = ids.slice(0, row.path.split("{").length - 1);
        const prepared = prepare("https://post.example/v1", name as keyof typeof OPERATIONS, {
          ids: used,
          value: {},
          options: {},
        });
        const isRefused = used.some((each) => ["", ".", ".."].includes(each) || !each.isWellFormed());
        expect("problem" in prepared).toBe(isRefused);
        if ("problem" in prepared) return;
        const { pathname, search, origin } = new URL(prepared.url);
        const expected = row.path.split("/").map((part) => (part.startsWith("{") ? used.shift() : part));
        expect(pathname.split("/").map(decodeURIComponent)).toEqual(["", "v1", ...expected.slice(1)]);
        expect([origin, search]).toEqual(["https://post.example", ""]);
      },
    ),
  );
});

test("the API does not know such ids, and the client refuses those that cannot be sent in the same form", async () => {
  const { client } = newAccount();
  for (const odd of ["a/b", "../recipients", "%2e%2e", "a b", "🙂", "?limit=1", "x".repeat(128)]) {
    expect(await client.getAlias(odd)).toMatchObject({ ok: false, problem: { code: "alias_not_found" } });
  }
  const long = await client.getAlias("x".repeat(129));
  const empty = await client.getAlias("");
  if (long.ok || empty.ok) return expect.unreachable("there is no such alias");
  expect(empty.problem).toEqual({
    ...long.problem,
    instance: "/aliases/{alias_id}",
    errors: [{ parameter: "alias_id", reason: "is not an id" }],
  });
  const { requests } = await proxy.during([], async () => {
    for (const none of ["", ".", "..", "\ud800"]) {
      expect(await client.getContact("alias", none)).toMatchObject({
        problem: { code: "invalid_request", errors: [{ parameter: "contact_id" }] },
      });
    }
    for (const ifMatch of ["", " ", "1", '"1"\r\nX: 1', '"ü"']) {
      expect(await client.deleteAlias("alias", { ifMatch })).toMatchObject({
        problem: { code: "invalid_request", errors: [{ parameter: "If-Match" }] },
      });
    }
    for (const idempotencyKey of ["", "a b", "ü", "x".repeat(129)]) {
      expect(await client.createAlias({ recipient_ids: ["a"] }, { idempotencyKey })).toMatchObject({
        problem: { code: "invalid_request", errors: [{ parameter: "Idempotency-Key" }] },
      });
    }
    // @ts-expect-error: a caller without types can do this.
    expect(await client.getAlias(undefined)).toMatchObject({ problem: { code: "invalid_request" } });
    // @ts-expect-error: this must not delete any version.
    expect(await client.deleteAlias("alias", { ifMatch: null })).toMatchObject({
      problem: { code: "invalid_request" },
    });
  });
  expect(requests).toEqual([]);
});

test("bodies and queries arrive as they were passed", async () => {
  const { client } = newAccount();
  const description = 'A "quote", 🙂 and \ud800';
  const { requests } = await proxy.during([], async () => {
    await client.listAliases({ q: "a&b=c d+é", active: false, limit: undefined });
    await client.listAliases();
    await client.updateAlias("alias", { description, active: undefined });
    await client.restoreAlias("alias");
    await client.restoreAlias("alias", undefined, { ifMatch: '"1", "2"' });
    await client.addRecipient("o'brien+🙂@example.com");
  });
  const [found, listed, updated, restored, matched, added] = requests;
  expect(new URL(found?.path ?? "", proxy.url).searchParams.toString()).toBe(
    "q=a%26b%3Dc+d%2B%C3%A9&active=false",
  );
  expect(listed?.path).toBe("/v1/aliases");
  expect(JSON.parse(updated?.body ?? "")).toEqual({ description });
  expect(updated?.headers["content-type"]).toBe("application/json");
  expect([restored?.body, restored?.headers["content-type"], restored?.headers["if-match"]]).toEqual([
    "",
    undefined,
    undefined,
  ]);
  expect(matched?.headers["if-match"]).toBe('"1", "2"');
  expect(JSON.parse(added?.body ?? "")).toEqual({ recipient_email: "o'brien+🙂@example.com" });
});

test.each([
  ["https://post.example", "https://post.example/health"],
  ["https://post.example/", "https://post.example/health"],
  ["https://post.example/api/v1", "https://post.example/api/v1/health"],
  ["https://post.example/api/v1//", "https://post.example/api/v1/health"],
  ["HTTPS://Post.Example:443/v1", "https://post.example/v1/health"],
  ["http://localhost:8080", "http://localhost:8080/health"],
  ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/health"],
  ["http://[::1]:8080/v1", "http://[::1]:8080/v1/health"],
])("%s is an address of the API", async (baseUrl, expected) => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    asked.push(`${url}`);
    return Response.json({ status: "ok" });
  };
  await clientWith({ baseUrl, token: "", fetch }, { pause: async () => {}, timeout: 120_000 }).health();
  expect(asked).toEqual([expected]);
});

test.each([
  ["", /absolute/],
  ["/v1", /absolute/],
  ["post.example/v1", /absolute/],
  ["http://post.example/v1", /https/],
  ["http://127.0.0.1.evil.example", /https/],
  ["http://localhost.evil.example", /https/],
  ["ftp://post.example", /https/],
  ["file:///v1", /https/],
  ["https://ada:secret@post.example", /password/],
  ["https://ada@post.example", /password/],
  ["https://post.example/?token=secret", /query/],
  ["https://post.example/#secret", /fragment/],
])("%s is refused, and not repeated", (baseUrl, reason) => {
  expect(() => createClient({ baseUrl, token: "token" })).toThrow(reason);
  expect(() => createClient({ baseUrl, token: "token" })).not.toThrow(/secret|evil/);
});

test("arguments are sorted by their places", () => {
  const options = { ifMatch: '"1"' };
  expect(inputOf("getAlias", ["a"])).toEqual({ ids: ["a"], value: undefined, options: {} });
  expect(inputOf("deleteAlias", ["a", options])).toEqual({ ids: ["a"], value: undefined, options });
  expect(inputOf("updateContact", ["a", "c", {}, options])).toEqual({ ids: ["a", "c"], value: {}, options });
});
