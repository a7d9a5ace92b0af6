import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Issuer, startIssuer } from "./support/issuer.ts";
import { openWorld, type World } from "./support/world.ts";

let issuer: Issuer;
let world: World;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());
beforeEach(async () => {
  world = await openWorld(issuer);
});

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

  test("gives an alias without a description an empty one", async () => {
    const created = await world.alias("shop", [await world.recipient("a")]);
    expect(created.description).toBe("");
  });

  test.each([
    ["an address elsewhere", { alias_email: "a@other.example" }, 422, "address_not_allowed"],
    ["no address", { alias_email: undefined }, 400, "invalid_request"],
    ["an address that is none", { alias_email: "shop" }, 400, "invalid_request"],
    ["a description too long", { description: "x".repeat(501) }, 400, "invalid_request"],
    ["no recipients", { recipient_ids: [] }, 400, "invalid_request"],
    ["an unknown recipient", { recipient_ids: ["nobody"] }, 422, "recipients_ineligible"],
    ["an unknown field", { active: false }, 400, "invalid_request"],
    ["another account", { account: "bob" }, 400, "invalid_request"],
    ["an address in use, in another case", { alias_email: "TAKEN@alias.example" }, 409, "address_taken"],
  ])("with %s changes nothing", async (_, change, status, code) => {
    const a = await world.recipient("a");
    const b = await world.recipient("b", { owner: "bob" });
    await world.alias("taken", [b], "bob");
    const before = await world.contents("alice", "bob");
    const answer = await world.call("POST", "/aliases", {
      body: { alias_email: "shop@alias.example", recipient_ids: [a], ...change },
    });
    expect(answer).toMatchObject({ status, body: { code } });
    expect(await world.contents("alice", "bob")).toEqual(before);
  });
});

describe("GET /aliases", () => {
  test("walks all aliases of the account, newest first, page by page", async () => {
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

  test("answers an empty page to a new account", async () => {
    expect((await world.call("GET", "/v1/aliases")).body).toEqual({ aliases: [], next_cursor: null });
  });

  test("answers 50 unless told, and up to 100", async () => {
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
    ["cursor=", "cursor"],
    ["cursor=garbage", "cursor"],
    ["cursor=!!!", "cursor"],
    ["cursor=a&cursor=b", "cursor"],
    ["sub=bob", "sub"],
    ["__proto__=1", "__proto__"],
  ])("?%s is 400 naming %s", async (query, parameter) => {
    const answer = await world.call("GET", `/aliases?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ parameter }] } });
  });

  test("takes no cursor of another account, another list or with a byte changed", async () => {
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
