import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { GATEWAY, openWorld, type World } from "./support/world.ts";

/** With payload 1.0, it does not reach a function. */
const NOT_PASSED_ON: readonly [string, string][] =
  GATEWAY === undefined || GATEWAY === "http-2.0" ? [["__proto__=1", "__proto__"]] : [];

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

const ADDRESS: Record<string, RegExp> = {
  random: /^[a-z0-9]{10}@other-alias\.example$/,
  words: /^[a-z]+(-[a-z]+){3}@other-alias\.example$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}@other-alias\.example$/,
};

describe("POST /aliases", () => {
  test.each(["", "/v1"])("creates an alias under %j", async (prefix) => {
    const a = await world.recipient("a");
    const created = await world.call("POST", `${prefix}/aliases`, {
      body: { alias_email: "Shop@ALIAS.example", description: "  the shop ", recipient_ids: [a, a] },
    });
    expect(created.status).toBe(201);
    expect(created.headers).toMatchObject({
      etag: '"1"',
      location: `${prefix}/aliases/${created.body.alias_id}`,
    });
    expect(created.body).toMatchObject({
      alias_email: "Shop@alias.example",
      description: "the shop",
      active: true,
      destination_emails: ["a@mail.example"],
      emails_sent: 0,
      datetime_last_sent: null,
      datetime_deleted: null,
    });
    expect((await world.call("GET", "/aliases")).body.aliases).toEqual([created.body]);
  });

  test("generates an address on the first alias domain by default", async () => {
    const a = await world.recipient("a");
    const make = (body: object) => world.call("POST", "/aliases", { body: { recipient_ids: [a], ...body } });
    const first = await make({});
    const second = await make({});
    expect(first).toMatchObject({
      status: 201,
      body: { alias_email: expect.stringMatching(/^[^@]+@alias\.example$/) },
    });
    expect(second.status).toBe(201);
    expect(second.body.alias_email).not.toBe(first.body.alias_email);
  });

  test.each(["random", "words", "uuid"])("generates a %s address on the requested domain", async (format) => {
    const made = await world.call("POST", "/aliases", {
      body: {
        alias_format: format,
        alias_domain: "OTHER-alias.example",
        recipient_ids: [await world.recipient("a")],
      },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { alias_email: expect.stringMatching(ADDRESS[format] ?? /never/) },
    });
  });

  test("rejects an address combined with a format, and says where", async () => {
    const response = await world.call("POST", "/aliases", {
      body: { alias_email: "a@alias.example", alias_format: "uuid", recipient_ids: ["x"] },
    });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer: "/alias_email" }] } });
  });

  test("gives an alias an empty description by default", async () => {
    const created = await world.alias("shop", [await world.recipient("a")]);
    expect(created.description).toBe("");
  });

  test.each([
    ["an address elsewhere", { alias_email: "a@other.example" }, 422, "address_not_allowed"],
    ["a reserved name", { alias_email: "Postmaster@alias.example" }, 422, "address_not_allowed"],
    ["an address and a format", { alias_format: "words" }, 400, "invalid_request"],
    ["an address and a domain", { alias_domain: "alias.example" }, 400, "invalid_request"],
    ["an unknown format", { alias_email: undefined, alias_format: "emoji" }, 400, "invalid_request"],
    ["null for a format", { alias_email: undefined, alias_format: null }, 400, "invalid_request"],
    [
      "a domain elsewhere",
      { alias_email: undefined, alias_domain: "mail.example" },
      422,
      "address_not_allowed",
    ],
    ["a malformed domain", { alias_email: undefined, alias_domain: "alias" }, 400, "invalid_request"],
    ["null for an address", { alias_email: null }, 400, "invalid_request"],
    ["a malformed address", { alias_email: "shop" }, 400, "invalid_request"],
    ["an address for domain validation", { alias_email: "A.dmin@alias.example" }, 422, "address_not_allowed"],
    ["an address like an option", { alias_email: "--config@alias.example" }, 400, "invalid_request"],
    ["an address like a bounce", { alias_email: "prvs=1=x@alias.example" }, 400, "invalid_request"],
    ["a description too long", { description: "x".repeat(501) }, 400, "invalid_request"],
    ["a description too long once normalized", { description: "\uFDFA".repeat(28) }, 400, "invalid_request"],
    ["no recipients", { recipient_ids: [] }, 400, "invalid_request"],
    ["an unknown recipient", { recipient_ids: ["nobody"] }, 422, "recipients_ineligible"],
    ["an unknown field", { active: false }, 400, "invalid_request"],
    ["another account", { account: "bob" }, 400, "invalid_request"],
    ["an address in use, in another case", { alias_email: "TAKEN@alias.example" }, 409, "address_taken"],
  ])("rejects %s and changes nothing", async (_, change, status, code) => {
    const a = await world.recipient("a");
    const b = await world.recipient("b", { owner: "bob" });
    await world.alias("taken", [b], "bob");
    const before = await world.contents("alice", "bob");
    const response = await world.call("POST", "/aliases", {
      body: { alias_email: "shop@alias.example", recipient_ids: [a], ...change },
    });
    expect(response).toMatchObject({ status, body: { code } });
    expect(await world.contents("alice", "bob")).toEqual(before);
  });

  test("rejects an alias beyond the account's limit, counting deleted ones: 403 with the limit", async () => {
    world = await openWorld(issuer(), { limits: { aliases: 2 } });
    const [a, b] = [await world.recipient("a"), await world.recipient("b", { owner: "bob" })];
    const { alias_id } = await world.alias("one", [a]);
    await world.alias("two", [a]);
    await world.call("DELETE", `/aliases/${alias_id}`);
    const before = await world.contents("alice");
    for (const body of [{}, { alias_email: "three@alias.example" }]) {
      expect(await world.call("POST", "/aliases", { body: { ...body, recipient_ids: [a] } })).toMatchObject({
        status: 403,
        body: { code: "too_many_aliases", limit: 2 },
      });
    }
    expect(await world.contents("alice")).toEqual(before);
    expect((await world.call("POST", `/aliases/${alias_id}/restore`)).status).toBe(200);
    await world.alias("three", [b], "bob");
  });
});

describe("GET /aliases", () => {
  test("lists all of the account's aliases, newest first, page by page", async () => {
    const a = await world.recipient("a");
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) made.unshift((await world.alias(`shop${i}`, [a])).alias_id);
    await world.alias("bobs", [await world.recipient("b", { owner: "bob" })], "bob");

    const seen: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query: string = cursor === "" ? "limit=3" : `limit=3&cursor=${cursor}`;
      const { status, body } = await world.call("GET", `/aliases?${query}`);
      expect(status).toBe(200);
      seen.push(...body.aliases.map((alias: { alias_id: string }) => alias.alias_id));
      sizes.push(body.aliases.length);
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(made);
    expect(sizes).toEqual([3, 3, 1]);
  });

  test("returns an empty page for a new account", async () => {
    expect((await world.call("GET", "/v1/aliases")).body).toEqual({ aliases: [], next_cursor: null });
  });

  test("returns 50 aliases by default and up to 100", async () => {
    const a = await world.recipient("a");
    for (let i = 0; i < 101; i += 1) await world.alias(`shop${i}`, [a]);
    expect((await world.call("GET", "/aliases")).body.aliases).toHaveLength(50);
    expect((await world.call("GET", "/aliases?limit=100")).body.aliases).toHaveLength(100);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=1e1", "limit"],
    ["limit=", "limit"],
    ["limit=ten", "limit"],
    ["limit=5&limit=5", "limit"],
    ["active=1", "active"],
    ["active=TRUE", "active"],
    ["active=", "active"],
    ["active=true&active=true", "active"],
    ["deleted=yes", "deleted"],
    ["deleted=true&deleted=false", "deleted"],
    ["q=", "q"],
    ["q=%20%20", "q"],
    [`q=${"x".repeat(101)}`, "q"],
    ["q=a&q=b", "q"],
    ["recipient_id=", "recipient_id"],
    ["recipient_id=%07", "recipient_id"],
    ["recipient_id=a&recipient_id=b", "recipient_id"],
    ["recipient=a", "recipient"],
    ["cursor=", "cursor"],
    ["cursor=garbage", "cursor"],
    ["cursor=!!!", "cursor"],
    ["cursor=a&cursor=b", "cursor"],
    ["sub=bob", "sub"],
    ...NOT_PASSED_ON,
  ])("rejects ?%s and names %s", async (query, parameter) => {
    const response = await world.call("GET", `/aliases?${query}`);
    expect(response).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ parameter }] },
    });
  });

  test("rejects cursors of another account or list and altered ones", async () => {
    const a = await world.recipient("a");
    await world.recipient("b");
    await world.alias("one", [a]);
    await world.alias("two", [a]);
    const { next_cursor } = (await world.call("GET", "/aliases?limit=1")).body;
    const ofRecipients = (await world.call("GET", "/recipients?limit=1")).body.next_cursor;
    const refused = { status: 400, body: { errors: [{ parameter: "cursor" }] } };
    expect(await world.call("GET", `/aliases?cursor=${next_cursor}`, { as: "bob" })).toMatchObject(refused);
    expect(await world.call("GET", `/aliases?cursor=${ofRecipients}`)).toMatchObject(refused);
    expect(await world.call("GET", `/recipients?cursor=${next_cursor}`)).toMatchObject(refused);
    expect(await world.call("GET", `/aliases?cursor=A${next_cursor.slice(1)}`)).toMatchObject(refused);
    expect((await world.call("GET", `/aliases?cursor=${next_cursor}`)).status).toBe(200);
  });
});

describe("GET /aliases with filters", () => {
  /** Five aliases that differ in everything that filters look at; the last is deleted. */
  const setUp = async () => {
    const a = await world.recipient("a");
    const b = await world.recipient("b");
    const one = (await world.alias("shop-one", [a])).alias_id;
    const two = (await world.alias("shop-two", [a, b])).alias_id;
    const three = (await world.alias("bank", [b])).alias_id;
    const four = (await world.alias("club", [b])).alias_id;
    const five = (await world.alias("shop-five", [a])).alias_id;
    const patch = (id: string, body: object) => world.call("PATCH", `/aliases/${id}`, { body });
    await patch(two, { active: false });
    await patch(three, { description: "The shopping card, blue" });
    await world.call("DELETE", `/aliases/${five}`);
    const names: Record<string, string> = {
      [one]: "one",
      [two]: "two",
      [three]: "three",
      [four]: "four",
      [five]: "five",
    };
    return { a, b, names };
  };

  /** The names of all listed aliases, page by page. */
  const walk = async (names: Record<string, string>, query: string, as = "alice") => {
    const seen: (string | undefined)[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, body }: { status: number; body: { aliases: []; next_cursor: string | null } } =
        await world.call("GET", `/aliases?limit=1&${query}${cursor === "" ? "" : `&cursor=${cursor}`}`, {
          as,
        });
      expect(status).toBe(200);
      seen.push(...body.aliases.map(({ alias_id }: { alias_id: string }) => names[alias_id]));
      cursor = body.next_cursor;
    }
    return seen;
  };

  test.each([
    ["", ["four", "three", "two", "one"]],
    ["active=true", ["four", "three", "one"]],
    ["active=false", ["two"]],
    ["deleted=false", ["four", "three", "two", "one"]],
    ["deleted=true", ["five"]],
    ["deleted=true&active=true", ["five"]],
    ["deleted=true&active=false", []],
    ["q=shop", ["three", "two", "one"]],
    ["q=SHOP-TWO", ["two"]],
    ["q=card+shopp", ["three"]],
    ["q=%20blue%20", ["three"]],
    ["q=hop", []],
    ["q=shop&active=true", ["three", "one"]],
    ["q=shop&deleted=true", ["five"]],
    ["recipient_id=A", ["two", "one"]],
    ["recipient_id=B", ["four", "three", "two"]],
    ["recipient_id=B&q=shop&active=true", ["three"]],
    ["recipient_id=nobody", []],
  ])("?%s, in pages of one", async (query, expected) => {
    const { a, b, names } = await setUp();
    const asked = query.replace("_id=A", `_id=${a}`).replace("_id=B", `_id=${b}`);
    expect(await walk(names, asked)).toEqual(expected);
    expect(await walk(names, asked, "bob")).toEqual([]);
  });

  test("a cursor can be combined with other filters", async () => {
    const { names } = await setUp();
    const { aliases, next_cursor } = (await world.call("GET", "/aliases?limit=1")).body;
    expect(names[aliases[0].alias_id]).toBe("four");
    const rest = (await world.call("GET", `/aliases?active=true&cursor=${next_cursor}`)).body;
    expect(rest.aliases.map(({ alias_id }: { alias_id: string }) => names[alias_id])).toEqual([
      "three",
      "one",
    ]);
  });

  test("reports every mistake in a request", async () => {
    const response = await world.call("GET", "/aliases?active=2&q=&limit=0&x=1");
    expect(response.body.errors.map(({ parameter }: { parameter: string }) => parameter).sort()).toEqual([
      "active",
      "limit",
      "q",
      "x",
    ]);
  });
});
