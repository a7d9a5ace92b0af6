import { parseAccountId, parseAliasId, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { stopClock } from "./support/stop-clock.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { type Call, openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

type Method = "GET" | "PUT" | "PATCH" | "DELETE" | "POST";

/** An alias with the recipients `a` and `b`, and functions that call its routes. */
const setUp = async () => {
  const a = await world.recipient("a");
  const b = await world.recipient("b");
  const alias = await world.alias("shop", [a, b]);
  const path = `/aliases/${alias.alias_id}`;
  const on = (method: Method, below = "", request: Call = {}) =>
    world.call(method, `${path}${below}`, request);
  const patch = (body: unknown, request: Call = {}) => on("PATCH", "", { body, ...request });
  return { a, b, alias, path, on, patch };
};

const attached = async () =>
  (await world.call("GET", "/recipients")).body.recipients.map((r: { alias_count: number }) => r.alias_count);

/** Every operation on an alias, with a request that succeeds and, if it is a write, changes something. */
const OPERATIONS: readonly [string, Method, string, unknown][] = [
  ["reading", "GET", "", undefined],
  ["replacing", "PUT", "/recipients", { recipient_ids: ["recipient-000001"] }],
  ["updating", "PATCH", "", { description: "new" }],
  ["deleting", "DELETE", "", undefined],
  ["restoring", "POST", "/restore", { recipient_ids: ["recipient-000001"] }],
];
const WRITES = OPERATIONS.filter(([, method]) => method !== "GET");

describe("GET /aliases/{alias_id}", () => {
  test.each(["", "/v1"])("returns the alias with its ETag, under %j", async (prefix) => {
    const { alias, path } = await setUp();
    const read = await world.call("GET", `${prefix}${path}`);
    expect(read).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(read.body).toEqual(alias);
  });

  test("returns the same as the list, even after a change or deletion", async () => {
    const { on, patch } = await setUp();
    const changed = await patch({ description: "x" });
    expect((await on("GET")).body).toEqual(changed.body);
    const deleted = await on("DELETE");
    const read = await on("GET");
    expect(read).toMatchObject({ status: 200, headers: { etag: deleted.headers.etag } });
    expect(read.body).toEqual((await world.call("GET", "/aliases?deleted=true")).body.aliases[0]);
  });

  test("ignores If-None-Match: counters change without the ETag", async () => {
    const { alias, on } = await setUp();
    const reference = {
      account: valueOf(parseAccountId("alice")),
      id: valueOf(parseAliasId(alias.alias_id)),
    };
    await world.store.aliases.recordOutcome(reference, {
      id: valueOf(parseEventId("e")),
      outcome: "sent",
      at: 5,
    });
    expect(await on("GET", "", { headers: { "if-none-match": '"1"' } })).toMatchObject({
      status: 200,
      headers: { etag: '"1"' },
      body: { emails_sent: 1, datetime_last_sent: 5 },
    });
  });
});

describe("every operation on an alias", () => {
  test.each(OPERATIONS)(
    "%s an unknown alias and another account's gets the same 404",
    async (...operation) => {
      const [, method, below, body] = operation;
      const { path } = await setUp();
      const before = await world.contents("alice", "bob");
      const unknown = await world.call(method, `/aliases/alias-x${below}`, { body, as: "bob" });
      const foreign = await world.call(method, `${path}${below}`, { body, as: "bob" });
      expect(unknown).toMatchObject({ status: 404, body: { code: "alias_not_found" } });
      expect({ ...foreign.body, instance: "" }).toEqual({ ...unknown.body, instance: "" });
      expect(await world.contents("alice", "bob")).toEqual(before);
    },
  );

  test.each(OPERATIONS)("%s an alias with an invalid id gets 400", async (_, method, below, body) => {
    const response = await world.call(method, `/aliases/%07${below}`, { body });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ parameter: "alias_id" }] } });
  });

  test.each(OPERATIONS)("%s an alias without a token gets 401", async (_, method, below, body) => {
    const { on } = await setUp();
    const before = await world.contents("alice");
    expect((await on(method, below, { body, as: null })).status).toBe(401);
    expect(await world.contents("alice")).toEqual(before);
  });
});

describe("If-Match", () => {
  test.each(WRITES)("%s succeeds at a listed version and with `*`", async (...operation) => {
    const [, method, below, body] = operation;
    for (const good of ['"1"', "*", '"7", "1"', 'W/"1" ,\t"1"']) {
      world = await openWorld(issuer());
      const { on } = await setUp();
      const response = await on(method, below, { body, headers: { "if-match": good } });
      expect(response, good).toMatchObject({ status: 200, headers: { etag: '"2"' } });
      expect((await on("GET")).headers.etag).toBe('"2"');
    }
  });

  test.each(WRITES)("%s fails with 412 at any other version and changes nothing", async (...operation) => {
    const [, method, below, body] = operation;
    const { on } = await setUp();
    const before = await world.contents("alice");
    for (const stale of ['"2"', 'W/"1"', '"01"', '"x"', '"2", "3"', '""']) {
      const response = await on(method, below, { body, headers: { "if-match": stale } });
      expect(response, stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    }
    expect(await world.contents("alice")).toEqual(before);
  });

  test.each(WRITES)(
    "%s fails with 400 if the header is malformed and changes nothing",
    async (...operation) => {
      const [, method, below, body] = operation;
      const { on } = await setUp();
      const before = await world.contents("alice");
      for (const garbage of ["1", '"1', '*, "1"', "", '"1""2"']) {
        const response = await on(method, below, { body, headers: { "if-match": garbage } });
        expect(response.status, garbage).toBe(400);
        expect(response.body.errors).toMatchObject([{ parameter: "If-Match" }]);
      }
      expect(await world.contents("alice")).toEqual(before);
    },
  );

  test("also applies to requests that would change nothing", async () => {
    const { on, patch } = await setUp();
    const headers = { "if-match": '"9"' };
    expect((await patch({}, { headers })).status).toBe(412);
    await on("DELETE");
    expect((await on("DELETE", "", { headers })).status).toBe(412);
    expect(await on("DELETE", "", { headers: { "if-match": '"2"' } })).toMatchObject({ status: 200 });
  });

  test("one of several concurrent writers at the same version wins", async () => {
    stopClock();
    const { a, on, patch } = await setUp();
    const headers = { "if-match": '"1"' };
    const responses = await Promise.all([
      patch({ description: "mine" }, { headers }),
      patch({ description: "yours" }, { headers }),
      on("PUT", "/recipients", { body: { recipient_ids: [a] }, headers }),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect((await on("GET")).headers.etag).toBe('"2"');
  });
});

describe("PATCH /aliases/{alias_id}", () => {
  test.each([
    "application/merge-patch+json",
    "application/json",
    "Application/Merge-Patch+JSON; charset=utf-8",
  ])("changes the given fields only: %s", async (type) => {
    const { alias, on, patch } = await setUp();
    const headers = { "content-type": type };
    const described = await patch({ description: "  the shop " }, { headers });
    expect(described).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(described.body).toEqual({
      ...alias,
      description: "the shop",
      datetime_updated: described.body.datetime_updated,
    });
    expect(described.body.datetime_updated).toBeGreaterThan(alias.datetime_updated);

    const stopped = await patch({ active: false }, { headers });
    expect(stopped.body).toMatchObject({ description: "the shop", active: false });
    const both = await patch({ active: true, description: "x" }, { headers });
    expect(both.body).toMatchObject({ description: "x", active: true });
    expect((await on("GET")).body).toEqual(both.body);
  });

  test("empties the description with null and with an empty string", async () => {
    const { patch } = await setUp();
    for (const description of [null, "", "   "]) {
      await patch({ description: "x" });
      expect((await patch({ description })).body.description).toBe("");
    }
  });

  test("changes neither the ETag nor a timestamp if every value is the current one", async () => {
    const { alias, patch } = await setUp();
    const before = await world.contents("alice");
    for (const same of [{}, { active: true }, { description: "" }, { description: null, active: true }]) {
      const response = await patch(same);
      expect(response).toMatchObject({ status: 200, headers: { etag: '"1"' } });
      expect(response.body).toEqual(alias);
    }
    expect(await world.contents("alice")).toEqual(before);
  });

  test.each([
    ["an unknown field", { activ: true }, "/activ"],
    ["an unknown field that is null", { x: null }, "/x"],
    ["a field that cannot be changed", { alias_email: "b@alias.example" }, "/alias_email"],
    ["a field that has its own route", { recipient_ids: ["a"] }, "/recipient_ids"],
    ["active removed", { active: null }, "/active"],
    ["active as text", { active: "false" }, "/active"],
    ["active as a number", { active: 0 }, "/active"],
    ["a description that is not text", { description: 7 }, "/description"],
    ["a description too long", { description: "x".repeat(501) }, "/description"],
    ["a control character", { description: "a\u0000b" }, "/description"],
    ["a good field next to a bad one", { description: "x", active: 1 }, "/active"],
    ["null", null, ""],
    ["a list", [{ description: "x" }], ""],
    ["text", '"x"', ""],
  ])("rejects %s with 400, says where, and changes nothing", async (_, body, pointer) => {
    const { patch } = await setUp();
    const before = await world.contents("alice");
    for (const type of ["application/json", "application/merge-patch+json"]) {
      const response = await patch(body, { headers: { "content-type": type } });
      expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
    }
    expect(await world.contents("alice")).toEqual(before);
  });

  test("rejects a request without a body", async () => {
    const { on } = await setUp();
    expect(await on("PATCH")).toMatchObject({ status: 400, body: { errors: [{ pointer: "" }] } });
  });

  test("rejects malformed JSON sent as a merge patch", async () => {
    const { patch } = await setUp();
    const headers = { "content-type": "application/merge-patch+json" };
    expect(await patch("{", { headers })).toMatchObject({ status: 400, body: { code: "malformed_json" } });
  });

  test.each(["application/json-patch+json", "text/plain", "application/merge-patch+json; charset=latin1"])(
    "rejects %s with 415 and says what is accepted",
    async (type) => {
      const { patch } = await setUp();
      expect(await patch("[]", { headers: { "content-type": type } })).toMatchObject({
        status: 415,
        headers: { "accept-patch": "application/merge-patch+json, application/json" },
      });
    },
  );

  test("only a PATCH can be a merge patch", async () => {
    const { a, on } = await setUp();
    const request = {
      body: { recipient_ids: [a] },
      headers: { "content-type": "application/merge-patch+json" },
    };
    for (const response of [
      await on("PUT", "/recipients", request),
      await on("POST", "/restore", request),
      await world.call("POST", "/aliases", request),
    ]) {
      expect(response).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
      expect(response.headers).not.toHaveProperty("accept-patch");
    }
  });

  test("rejects a deleted alias with 409", async () => {
    const { on, patch } = await setUp();
    await on("DELETE");
    const before = await world.contents("alice");
    expect(await patch({ active: false })).toMatchObject({ status: 409, body: { code: "alias_deleted" } });
    expect(await patch({})).toMatchObject({ status: 409, body: { code: "alias_deleted" } });
    expect(await world.contents("alice")).toEqual(before);
  });
});

describe("DELETE /aliases/{alias_id}", () => {
  test.each(["", "/v1"])("deletes softly and detaches the recipients, under %j", async (prefix) => {
    const { alias, path } = await setUp();
    expect(await attached()).toEqual([1, 1]);
    const deleted = await world.call("DELETE", `${prefix}${path}`);
    const at = deleted.body.datetime_deleted;
    expect(deleted).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(deleted.body).toEqual({ ...alias, datetime_deleted: at, datetime_updated: at });
    expect(at).toBeGreaterThan(alias.datetime_created);
    expect(await attached()).toEqual([0, 0]);
    expect((await world.call("GET", "/aliases")).body.aliases).toEqual([]);
  });

  test("is idempotent", async () => {
    const { on } = await setUp();
    const first = await on("DELETE");
    const before = await world.contents("alice");
    const again = await on("DELETE");
    expect([again.status, again.body, again.headers.etag]).toEqual([200, first.body, first.headers.etag]);
    expect(await world.contents("alice")).toEqual(before);
  });

  test("the address stays taken", async () => {
    const { a, on } = await setUp();
    await on("DELETE");
    const body = { alias_email: "shop@alias.example", recipient_ids: [a] };
    expect(await world.call("POST", "/aliases", { body })).toMatchObject({ status: 409 });
  });

  test.each([
    ["application/json", undefined],
    ["application/json", "{}"],
  ])("ignores a body: %s %j", async (type, body) => {
    const { on } = await setUp();
    expect((await on("DELETE", "", { body, headers: { "content-type": type } })).status).toBe(200);
  });
});

describe("POST /aliases/{alias_id}/restore", () => {
  test.each([
    ["no body", undefined],
    ["an empty object", {}],
  ])("restores the alias with the recipients it had: %s", async (_, body) => {
    const { alias, on } = await setUp();
    await on("DELETE");
    const restored = await on("POST", "/restore", { body });
    expect(restored).toMatchObject({ status: 200, headers: { etag: '"3"' } });
    expect(restored.body).toEqual({ ...alias, datetime_updated: restored.body.datetime_updated });
    expect(await attached()).toEqual([1, 1]);
    expect((await world.call("GET", "/v1/aliases")).body.aliases).toEqual([restored.body]);
  });

  test("restores the alias with the listed recipients", async () => {
    const { b, on } = await setUp();
    const c = await world.recipient("c");
    await on("DELETE");
    const restored = await on("POST", "/restore", { body: { recipient_ids: [c, b, c] } });
    expect(restored.body.destination_emails).toEqual(["c@mail.example", "b@mail.example"]);
    expect(await attached()).toEqual([1, 1, 0]);
  });

  test("leaves an inactive alias inactive, and accepts an alias that is not deleted", async () => {
    const { a, on, patch } = await setUp();
    await patch({ active: false, description: "x" });
    const before = await world.contents("alice");
    const same = await on("POST", "/restore");
    expect(same).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { active: false } });
    expect(await world.contents("alice")).toEqual(before);
    const replaced = await on("POST", "/restore", { body: { recipient_ids: [a] } });
    expect(replaced.body).toMatchObject({ destination_emails: ["a@mail.example"], description: "x" });
    await on("DELETE");
    expect(await on("POST", "/restore")).toMatchObject({
      status: 200,
      body: { active: false, datetime_deleted: null },
    });
  });

  test("fails with 422 while a former recipient is missing or inactive, and works with others", async () => {
    const { a, b, on } = await setUp();
    await on("DELETE");
    await world.call("DELETE", `/recipients/${a}`);
    await world.call("PATCH", `/recipients/${b}`, { body: { active: false } });
    const before = await world.contents("alice");
    const refused = await on("POST", "/restore");
    expect(refused).toMatchObject({ status: 422, body: { code: "recipients_ineligible" } });
    expect(refused.body.recipients).toEqual([
      { id: a, reason: "unknown" },
      { id: b, reason: "inactive" },
    ]);
    expect(await world.contents("alice")).toEqual(before);

    await world.call("PATCH", `/recipients/${b}`, { body: { active: true } });
    expect(await on("POST", "/restore", { body: { recipient_ids: [b] } })).toMatchObject({
      status: 200,
      body: { destination_emails: ["b@mail.example"], datetime_deleted: null },
    });
  });

  test.each([
    ["an empty list", { recipient_ids: [] }, "/recipient_ids"],
    ["null for a list", { recipient_ids: null }, "/recipient_ids"],
    ["41 ids", { recipient_ids: Array.from({ length: 41 }, (_, i) => `id-${i}`) }, "/recipient_ids"],
    ["an unknown field", { recipients: [] }, "/recipients"],
    ["null", null, ""],
    ["a list", [], ""],
  ])("rejects %s with 400 and changes nothing", async (_, body, pointer) => {
    const { on } = await setUp();
    await on("DELETE");
    const before = await world.contents("alice");
    expect(await on("POST", "/restore", { body })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    });
    expect(await world.contents("alice")).toEqual(before);
  });

  test("reports another account's recipient as unknown: 422", async () => {
    const { on } = await setUp();
    const foreign = await world.recipient("m", { owner: "bob" });
    await on("DELETE");
    const before = await world.contents("alice", "bob");
    const refused = await on("POST", "/restore", { body: { recipient_ids: [foreign] } });
    expect(refused.body.recipients).toEqual([{ id: foreign, reason: "unknown" }]);
    expect(await world.contents("alice", "bob")).toEqual(before);
  });
});
