import { parseAccountId, parseAliasId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { GATEWAY, openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

const FIELDS = [
  "alias_id",
  "alias_email",
  "description",
  "active",
  "destination_emails",
  "emails_sent",
  "emails_delivered",
  "emails_bounced",
  "emails_complaint",
  "emails_replied",
  "emails_blocked",
  "datetime_last_sent",
  "datetime_last_delivered",
  "datetime_last_bounced",
  "datetime_last_complaint",
  "datetime_last_blocked",
  "datetime_last_replied",
  "datetime_created",
  "datetime_updated",
  "datetime_deleted",
];

/** An alias with one recipient, and two more recipients. */
const setUp = async () => {
  const a = await world.recipient("a");
  const b = await world.recipient("b");
  const c = await world.recipient("c");
  const alias = await world.alias("shop", [a]);
  const put = (recipientIds: unknown, request = {}) =>
    world.call("PUT", `/aliases/${alias.alias_id}/recipients`, {
      body: { recipient_ids: recipientIds },
      ...request,
    });
  return { a, b, c, alias, put };
};

describe("an accepted replacement", () => {
  test("sets exactly the listed recipients, in the order listed", async () => {
    const { b, c, put } = await setUp();
    const { status, body } = await put([c, b]);
    expect(status).toBe(200);
    expect(body.destination_emails).toEqual(["c@mail.example", "b@mail.example"]);
    const listed = await world.call("GET", "/aliases");
    expect(listed.body.aliases).toEqual([body]);
    const { recipients } = (await world.call("GET", "/recipients")).body;
    expect(recipients.map((r: { alias_count: number }) => r.alias_count)).toEqual([1, 1, 0]);
  });

  test("returns the 20 fields of the specification", async () => {
    const { b, alias, put } = await setUp();
    const { body } = await put([b]);
    expect(Object.keys(body)).toEqual(FIELDS);
    expect(body).toEqual({
      ...alias,
      destination_emails: ["b@mail.example"],
      datetime_updated: body.datetime_updated,
    });
    expect(body.datetime_updated).toBeGreaterThan(alias.datetime_updated);
  });

  test("counts a repeated id once, at its first position", async () => {
    const { a, b, put } = await setUp();
    expect((await put([b, a, b])).body.destination_emails).toEqual(["b@mail.example", "a@mail.example"]);
  });

  test("changes neither a timestamp nor the ETag if the list is the current one", async () => {
    const { b, c, put } = await setUp();
    const first = await put([b, c]);
    const before = await world.contents("alice");
    const again = await put([b, c, b]);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.etag).toBe(first.headers.etag);
    expect(await world.contents("alice")).toEqual(before);
  });

  test("works the same under /v1", async () => {
    const { b, alias } = await setUp();
    const { status, body } = await world.call("PUT", `/v1/aliases/${alias.alias_id}/recipients`, {
      body: { recipient_ids: [b] },
    });
    expect(status).toBe(200);
    expect((await world.call("GET", "/aliases")).body.aliases).toEqual([body]);
    expect((await world.call("GET", "/v1/aliases")).body.aliases).toEqual([body]);
  });

  test("can have 40 recipients", async () => {
    const { put } = await setUp();
    const many = await Promise.all(Array.from({ length: 40 }, (_, i) => world.recipient(`many${i}`)));
    expect((await put(many)).body.destination_emails).toHaveLength(40);
  });
});

describe("a rejected replacement changes nothing", () => {
  const list = (length: number) => Array.from({ length }, (_, i) => `id-${i}`);
  test.each([
    ["an empty list", '{"recipient_ids":[]}', "/recipient_ids", /at least 1 recipient/],
    ["no list", "{}", "/recipient_ids", /list of recipient ids/],
    ["null", '{"recipient_ids":null}', "/recipient_ids", /list of recipient ids/],
    ["a string", '{"recipient_ids":"recipient-000001"}', "/recipient_ids", /list of recipient ids/],
    ["an object", '{"recipient_ids":{"0":"x"}}', "/recipient_ids", /list of recipient ids/],
    ["41 ids", JSON.stringify({ recipient_ids: list(41) }), "/recipient_ids", /at most 40/],
    ["an id that is a number", '{"recipient_ids":["a",7]}', "/recipient_ids/1", /must be a string/],
    ["an empty id", '{"recipient_ids":[""]}', "/recipient_ids/0", /empty/],
    ["an id too long", JSON.stringify({ recipient_ids: ["x".repeat(129)] }), "/recipient_ids/0", /128/],
    ["an unknown field", '{"recipient_ids":["a"],"active/~":true}', "/active~1~0", /not known/],
    ["a body that is null", "null", "", /must be an object/],
    ["a body that is a list", '["a"]', "", /must be an object/],
    ["a body that is text", '"a"', "", /must be an object/],
    ["a body that is empty", "", "", /is required/],
  ])("%s: 400, and says where", async (_, body, pointer, reason) => {
    const { alias } = await setUp();
    const before = await world.contents("alice");
    const response = await world.call("PUT", `/aliases/${alias.alias_id}/recipients?x=secret`, { body });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      type: "urn:postern:problem:invalid_request",
      code: "invalid_request",
      instance: `/aliases/${alias.alias_id}/recipients`,
      errors: [{ pointer, reason: expect.stringMatching(reason) }],
    });
    expect(await world.contents("alice")).toEqual(before);
  });

  test("no body at all: 400", async () => {
    const { alias } = await setUp();
    const response = await world.call("PUT", `/aliases/${alias.alias_id}/recipients`);
    expect(response).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ pointer: "" }] },
    });
  });

  test("reports at most 20 errors", async () => {
    const { alias } = await setUp();
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field-${i}`, true]));
    const response = await world.call("PUT", `/aliases/${alias.alias_id}/recipients`, { body });
    expect(response.status).toBe(400);
    expect(response.body.errors).toHaveLength(20);
  });

  test("unknown, other accounts', unverified and inactive recipients: one 422 that lists each", async () => {
    const { a, put } = await setUp();
    const foreign = await world.recipient("mallory", { owner: "bob" });
    const unverified = await world.recipient("new", { verified: false });
    const inactive = await world.recipient("old", { active: false });
    const before = await world.contents("alice", "bob");
    const response = await put([inactive, "nobody", a, foreign, unverified, "nobody"]);
    expect(response.status).toBe(422);
    expect(response.body.code).toBe("recipients_ineligible");
    expect(response.body.recipients).toEqual([
      { id: inactive, reason: "inactive" },
      { id: "nobody", reason: "unknown" },
      { id: foreign, reason: "unknown" },
      { id: unverified, reason: "unverified" },
    ]);
    expect(JSON.stringify(response.body)).not.toContain("mail.example");
    expect(await world.contents("alice", "bob")).toEqual(before);
  });

  test("an unknown alias and another account's: the same 404", async () => {
    const { b, alias } = await setUp();
    const bobs = await world.recipient("bob", { owner: "bob" });
    const before = await world.contents("alice", "bob");
    const unknown = await world.call("PUT", "/aliases/alias-x/recipients", { body: { recipient_ids: [b] } });
    const foreign = await world.call("PUT", `/aliases/${alias.alias_id}/recipients`, {
      as: "bob",
      body: { recipient_ids: [bobs] },
    });
    expect(unknown).toMatchObject({ status: 404, body: { code: "alias_not_found" } });
    expect({ ...foreign.body, instance: "" }).toEqual({ ...unknown.body, instance: "" });
    expect(await world.contents("alice", "bob")).toEqual(before);
  });

  test("a deleted alias: 409", async () => {
    const { b, alias, put } = await setUp();
    const [owner, aliasId] = [valueOf(parseAccountId("alice")), valueOf(parseAliasId(alias.alias_id))];
    const found = (await world.store.aliases.findWithRecipients(owner, aliasId, []))._unsafeUnwrap().alias;
    if (found === null) throw new Error("The alias does not exist");
    const deleted = { ...found, deletedAt: found.updatedAt + 1, version: found.version + 1 };
    (await world.store.aliases.save(found, deleted))._unsafeUnwrap();
    expect(await put([b])).toMatchObject({ status: 409, body: { code: "alias_deleted" } });
    const kept = (await world.store.aliases.findWithRecipients(owner, aliasId, []))._unsafeUnwrap().alias;
    expect(kept).toEqual(deleted);
  });

  test("no token, an access token, an expired one or another client's: 401", async () => {
    const { b, alias, put } = await setUp();
    const before = await world.contents("alice");
    const past = Math.floor(Date.now() / 1000) - 1;
    const tokens = [
      null,
      await issuer().token({ token_use: "access", aud: undefined, client_id: "the-client", scope: "openid" }),
      await issuer().token({ exp: past }),
      await issuer().token({ aud: "another-client" }),
    ];
    for (const token of tokens) {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      const response = await put([b], { as: null, headers });
      expect(response.status).toBe(401);
      expect(response.body).toEqual({ message: "Unauthorized" });
      expect(response.headers["www-authenticate"]).toBe("Bearer");
      expect(response.headers["content-type"]).toMatch(/^application\/json/);
    }
    expect(await world.contents("alice")).toEqual(before);
    expect((await put([b])).status).toBe(200);
    expect(alias.destination_emails).toEqual(["a@mail.example"]);
  });
});

describe("If-Match", () => {
  test("allows a write only at a listed version", async () => {
    const { a, b, c, put } = await setUp();
    const first = await put([b]);
    const etag = String(first.headers.etag);
    expect(etag).toBe('"2"');

    const before = await world.contents("alice");
    for (const stale of ['"1"', 'W/"2"', '"two"', '"02"', '"1", "7"', '""', `"${"9".repeat(30)}"`]) {
      const refused = await put([c], { headers: { "if-match": stale } });
      expect(refused, stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    }
    expect(await world.contents("alice")).toEqual(before);

    expect((await put([c], { headers: { "if-match": etag } })).status).toBe(200);
    expect((await put([a], { headers: { "if-match": '"1" ,\t"3"' } })).headers.etag).toBe('"4"');
    expect((await put([b], { headers: { "if-match": "*" } })).headers.etag).toBe('"5"');
  });

  test.each(["2", '"2', "*, *", '"2" "3"', ""])("rejects a malformed header with 400: %s", async (value) => {
    const { b, put } = await setUp();
    const response = await put([b], { headers: { "if-match": value } });
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ parameter: "If-Match" }]);
  });
});

describe("ids in paths", () => {
  // An HTTP API decodes paths.
  const withSlash = GATEWAY === undefined || GATEWAY === "rest" ? ["a/b", "../x"] : [];
  test.each(["__proto__", "a#b", ...withSlash, "📮", "constructor", "a?b", "%", "x".repeat(128)])(
    "%s is an id like any other",
    async (id) => {
      const { b } = await setUp();
      const url = `/aliases/${encodeURIComponent(id)}/recipients`;
      const response = await world.call("PUT", url, { body: { recipient_ids: [b] } });
      expect(response).toMatchObject({ status: 404, body: { code: "alias_not_found", instance: url } });
    },
  );

  test.each([
    ["too long", "x".repeat(129)],
    ["far too long", "x".repeat(8000)],
    ["with a control character", "%07"],
  ])("rejects one that is %s", async (_, id) => {
    const { b } = await setUp();
    const response = await world.call("PUT", `/aliases/${id}/recipients`, { body: { recipient_ids: [b] } });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ parameter: "alias_id" }] } });
  });

  test.skipIf(GATEWAY !== undefined)(
    "a path that cannot be decoded is 400, after authentication",
    async () => {
      const url = "/aliases/%zz/recipients";
      expect((await world.call("PUT", url, { as: null, body: "{" })).status).toBe(401);
      expect(await world.call("PUT", url, { body: "{" })).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
        headers: { "cache-control": "no-store" },
      });
    },
  );
});
