import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { type Call, openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

type Method = "GET" | "PATCH" | "DELETE" | "POST";

/** Every operation on a recipient. */
const OPERATIONS: readonly [string, Method, string, unknown][] = [
  ["reading", "GET", "", undefined],
  ["updating", "PATCH", "", { active: false }],
  ["deleting", "DELETE", "", undefined],
  ["mailing", "POST", "/verification", undefined],
  ["reassigning", "POST", "/reassign", { recipient_id: "recipient-000001" }],
];

const read = async (id: string) => (await world.call("GET", `/recipients/${id}`)).body;
const patch = (id: string, body: unknown, request: Call = {}) =>
  world.call("PATCH", `/recipients/${id}`, { body, ...request });

describe("every operation on a recipient", () => {
  test.each(OPERATIONS)(
    "%s an unknown recipient and another account's gets the same 404",
    async (...operation) => {
      const [, method, below, body] = operation;
      const foreign = await world.recipient("a", { owner: "alice" });
      const own = await world.recipient("b", { owner: "bob" });
      const sent = method === "POST" && body !== undefined ? { recipient_id: own } : body;
      const before = await world.contents("alice", "bob");
      const responses = [];
      for (const id of ["recipient-x", foreign]) {
        responses.push(await world.call(method, `/recipients/${id}${below}`, { body: sent, as: "bob" }));
      }
      const [unknown, hidden] = responses;
      expect(unknown).toMatchObject({ status: 404, body: { code: "recipient_not_found" } });
      expect({ ...hidden?.body, instance: "" }).toEqual({ ...unknown?.body, instance: "" });
      expect(await world.contents("alice", "bob")).toEqual(before);
      expect(world.links).toEqual([]);
    },
  );

  test.each(OPERATIONS)("%s a recipient with an invalid id gets 400", async (_, method, below, body) => {
    const response = await world.call(method, `/recipients/${"x".repeat(129)}${below}`, { body });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ parameter: "recipient_id" }] } });
  });

  test.each(OPERATIONS)("%s a recipient without a token gets 401", async (_, method, below, body) => {
    const id = await world.recipient("a");
    const before = await world.contents("alice");
    const response = await world.call(method, `/recipients/${id}${below}`, { body, as: null });
    expect(response.status).toBe(401);
    expect(await world.contents("alice")).toEqual(before);
  });
});

test.each(["", "/v1"])("GET %s/recipients/{recipient_id} returns the same as the list", async (prefix) => {
  const id = await world.recipient("a");
  await world.alias("shop", [id]);
  const response = await world.call("GET", `${prefix}/recipients/${id}`);
  expect(response).toMatchObject({ status: 200, body: { recipient_id: id, verified: true, alias_count: 1 } });
  expect(response.body).toEqual((await world.call("GET", "/recipients")).body.recipients[0]);
});

describe("PATCH /recipients/{recipient_id}", () => {
  test.each(["application/merge-patch+json", "application/json"])(
    "deactivates and activates: %s",
    async (type) => {
      const id = await world.recipient("a");
      const before = await read(id);
      const headers = { "content-type": type };
      const stopped = await patch(id, { active: false }, { headers });
      expect(stopped.status).toBe(200);
      expect(stopped.body).toEqual({
        ...before,
        active: false,
        datetime_updated: stopped.body.datetime_updated,
      });
      expect(stopped.body.datetime_updated).toBeGreaterThan(before.datetime_updated);
      const refused = await world.call("POST", "/aliases", { body: { recipient_ids: [id] } });
      expect(refused).toMatchObject({ status: 422, body: { recipients: [{ id, reason: "inactive" }] } });

      expect((await patch(id, { active: true }, { headers })).body).toMatchObject({ active: true });
      expect((await read(id)).active).toBe(true);
    },
  );

  test("an empty patch and one with current values change nothing", async () => {
    const id = await world.recipient("a");
    await world.alias("shop", [id]);
    const before = await world.contents("alice");
    expect(await patch(id, {})).toMatchObject({ status: 200, body: { active: true } });
    expect(await patch(id, { active: true })).toMatchObject({ status: 200 });
    expect(await world.contents("alice")).toEqual(before);
  });

  test.each([
    ["an unknown field", { verified: true }, "/verified"],
    ["a field that cannot be changed", { recipient_email: "b@mail.example" }, "/recipient_email"],
    ["active removed", { active: null }, "/active"],
    ["active as text", { active: "no" }, "/active"],
    ["null", null, ""],
    ["a list", [], ""],
  ])("rejects %s with 400 and changes nothing", async (_, body, pointer) => {
    const id = await world.recipient("a");
    const before = await world.contents("alice");
    expect(await patch(id, body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
    expect(await world.contents("alice")).toEqual(before);
  });

  test("rejects another media type with 415 and says what is accepted", async () => {
    const id = await world.recipient("a");
    expect(await patch(id, "{}", { headers: { "content-type": "text/json" } })).toMatchObject({
      status: 415,
      headers: { "accept-patch": "application/merge-patch+json, application/json" },
    });
  });
});

describe("a recipient attached to aliases", () => {
  const ways: readonly [string, (id: string) => ReturnType<World["call"]>][] = [
    ["deactivated", (id) => patch(id, { active: false })],
    ["deleted", (id) => world.call("DELETE", `/recipients/${id}`)],
  ];

  test.each(ways)("cannot be %s: 409 with the number of aliases and the first ten", async (_, way) => {
    const id = await world.recipient("a");
    const other = await world.recipient("b");
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) ids.unshift((await world.alias(`shop${i}`, [other, id])).alias_id);
    await world.alias("elsewhere", [other]);
    const before = await world.contents("alice");
    const refused = await way(id);
    expect(refused).toMatchObject({ status: 409, body: { code: "recipient_attached", alias_count: 12 } });
    expect(refused.body.alias_ids).toEqual(ids.slice(0, 10));
    expect(await world.contents("alice")).toEqual(before);
  });

  test.each(ways)("can be %s once the last of them is deleted", async (_, way) => {
    const id = await world.recipient("a");
    const { alias_id } = await world.alias("shop", [id]);
    expect(await way(id)).toMatchObject({ status: 409, body: { alias_count: 1, alias_ids: [alias_id] } });
    await world.call("DELETE", `/aliases/${alias_id}`);
    expect([200, 204]).toContain((await way(id)).status);
  });
});

describe("DELETE /recipients/{recipient_id}", () => {
  test.each(["", "/v1"])("deletes the recipient and frees its address, under %j", async (prefix) => {
    const id = await world.recipient("a");
    const deleted = await world.call("DELETE", `${prefix}/recipients/${id}`);
    expect(deleted).toMatchObject({ status: 204, body: "" });
    expect(deleted.headers).toMatchObject({ "cache-control": "no-store" });
    expect(await world.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
    expect((await world.call("GET", `/recipients/${id}`)).status).toBe(404);
    expect((await world.call("DELETE", `/recipients/${id}`)).status).toBe(404);
    const again = await world.call("POST", "/recipients", { body: { recipient_email: "a@mail.example" } });
    expect(again.status).toBe(201);
    expect(again.body.recipient_id).not.toBe(id);
  });

  test("invalidates its links", async () => {
    const added = await world.call("POST", "/recipients", { body: { recipient_email: "a@mail.example" } });
    await world.call("DELETE", `/recipients/${added.body.recipient_id}`);
    const link = `/recipients/verify?token=${world.links[0]}&confirm=true`;
    expect(await world.call("GET", link)).toMatchObject({ status: 400, body: { code: "link_invalid" } });
  });
});
