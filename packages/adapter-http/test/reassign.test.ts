import { memoryStore } from "@postern/adapter-memory";
import { err, type Store } from "@postern/core";
import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

const reassign = (from: string, body: unknown, prefix = "") =>
  world.call("POST", `${prefix}/recipients/${from}/reassign`, { body });
const destinations = async (alias: { alias_id: string }) =>
  (await world.call("GET", `/aliases/${alias.alias_id}`)).body.destination_emails;
const setUp = async () => {
  const [a, b, c] = [await world.recipient("a"), await world.recipient("b"), await world.recipient("c")];
  return { a, b, c };
};

describe("POST /recipients/{recipient_id}/reassign", () => {
  test.each(["", "/v1"])("replaces the recipient and keeps the order, under %j", async (prefix) => {
    const { a, b, c } = await setUp();
    const alone = await world.alias("alone", [a]);
    const middle = await world.alias("middle", [c, a]);
    const both = await world.alias("both", [a, c, b]);
    const without = await world.alias("without", [c]);
    const deleted = await world.alias("deleted", [a]);
    await world.call("DELETE", `/aliases/${deleted.alias_id}`);

    const done = await reassign(a, { recipient_id: b }, prefix);
    expect(done).toMatchObject({ status: 200, body: { remaining: 0, next_cursor: null } });
    expect(done.body.reassigned).toEqual([both, middle, alone].map(({ alias_id }) => alias_id));
    expect(await destinations(alone)).toEqual(["b@mail.example"]);
    expect(await destinations(middle)).toEqual(["c@mail.example", "b@mail.example"]);
    expect(await destinations(both)).toEqual(["c@mail.example", "b@mail.example"]);
    expect(await destinations(deleted)).toEqual(["a@mail.example"]);
    const untouched = await world.call("GET", `/aliases/${without.alias_id}`);
    expect([untouched.body, untouched.headers.etag]).toEqual([without, '"1"']);

    const again = await reassign(a, { recipient_id: b });
    expect(again.body).toEqual({ reassigned: [], remaining: 0, next_cursor: null });
    expect((await world.call("DELETE", `/recipients/${a}`)).status).toBe(204);
  });

  test("changes 25 aliases per call; a cursor continues", async () => {
    const { a, b } = await setUp();
    const ids: string[] = [];
    for (let i = 0; i < 60; i += 1) ids.unshift((await world.alias(`shop${i}`, [a])).alias_id);
    const seen: string[] = [];
    const left: number[] = [];
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const body: object = { recipient_id: b, ...(cursor === undefined ? {} : { cursor }) };
      const done = await reassign(a, body);
      expect(done.status).toBe(200);
      expect(done.body.reassigned.length).toBeLessThanOrEqual(25);
      seen.push(...done.body.reassigned);
      left.push(done.body.remaining);
      cursor = done.body.next_cursor;
    }
    expect(seen).toEqual(ids);
    expect(left).toEqual([35, 10, 0]);
    expect((await world.call("GET", `/aliases?recipient_id=${a}`)).body.aliases).toEqual([]);
  });

  test("a cursor skips newer aliases; `remaining` counts them", async () => {
    const { a, b } = await setUp();
    for (let i = 0; i < 26; i += 1) await world.alias(`shop${i}`, [a]);
    const { next_cursor } = (await reassign(a, { recipient_id: b })).body;
    const { alias_id } = await world.alias("new", [a]);
    const last = (await reassign(a, { recipient_id: b, cursor: next_cursor })).body;
    expect(last).toMatchObject({ remaining: 1, next_cursor: null });
    expect((await reassign(a, { recipient_id: b })).body).toEqual({
      reassigned: [alias_id],
      remaining: 0,
      next_cursor: null,
    });
  });

  test("repeating the call without the cursor continues as well", async () => {
    const { a, b } = await setUp();
    for (let i = 0; i < 30; i += 1) await world.alias(`shop${i}`, [a]);
    expect((await reassign(a, { recipient_id: b })).body).toMatchObject({ remaining: 5 });
    const rest = (await reassign(a, { recipient_id: b })).body;
    expect(rest.reassigned).toHaveLength(5);
    expect(rest).toMatchObject({ remaining: 0, next_cursor: null });
  });

  test("rejects altered cursors and those of another account or of a list; a list rejects reassignment cursors", async () => {
    const { a, b } = await setUp();
    for (let i = 0; i < 26; i += 1) await world.alias(`shop${i}`, [a]);
    const [x, y] = [
      await world.recipient("x", { owner: "bob" }),
      await world.recipient("y", { owner: "bob" }),
    ];
    for (let i = 0; i < 26; i += 1) await world.alias(`bob${i}`, [x], "bob");
    const ofBob = await world.call("POST", `/recipients/${x}/reassign`, {
      as: "bob",
      body: { recipient_id: y },
    });
    const ofList = (await world.call("GET", "/aliases?limit=1")).body.next_cursor;
    const { next_cursor } = (await reassign(a, { recipient_id: b })).body;
    const before = await world.contents("alice", "bob");
    for (const cursor of [ofBob.body.next_cursor, ofList, `A${next_cursor.slice(1)}`, "", "!", 7, null]) {
      const refused = await reassign(a, { recipient_id: b, cursor });
      expect(refused, String(cursor)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: "/cursor" }] },
      });
    }
    const listed = await world.call("GET", `/aliases?cursor=${next_cursor}`);
    expect(listed).toMatchObject({ status: 400, body: { errors: [{ parameter: "cursor" }] } });
    expect(await world.contents("alice", "bob")).toEqual(before);
    expect((await reassign(a, { recipient_id: b, cursor: next_cursor })).body).toMatchObject({
      remaining: 0,
    });
  });

  test.each([
    ["no target", {}, "/recipient_id"],
    ["null", { recipient_id: null }, "/recipient_id"],
    ["a list", { recipient_id: ["recipient-000002"] }, "/recipient_id"],
    ["an empty id", { recipient_id: "" }, "/recipient_id"],
    ["itself", { recipient_id: "recipient-000001" }, "/recipient_id"],
    ["an unknown field", { recipient_id: "recipient-000002", limit: 5 }, "/limit"],
    ["no object", [], ""],
    ["no body", undefined, ""],
  ])("rejects %s with 400 and changes nothing", async (_, body, pointer) => {
    const { a } = await setUp();
    expect(a).toBe("recipient-000001");
    await world.alias("shop", [a]);
    const before = await world.contents("alice");
    expect(await reassign(a, body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
    expect(await world.contents("alice")).toEqual(before);
  });

  test("rejects an ineligible recipient with 422, says why, and changes nothing", async () => {
    const { a } = await setUp();
    await world.alias("shop", [a]);
    const targets = {
      nobody: "unknown",
      [await world.recipient("m", { owner: "bob" })]: "unknown",
      [await world.recipient("new", { verified: false })]: "unverified",
      [await world.recipient("old", { active: false })]: "inactive",
    };
    const before = await world.contents("alice", "bob");
    for (const [id, reason] of Object.entries(targets)) {
      const refused = await reassign(a, { recipient_id: id });
      expect(refused).toMatchObject({ status: 422, body: { code: "recipients_ineligible" } });
      expect(refused.body.recipients).toEqual([{ id, reason }]);
    }
    expect(await world.contents("alice", "bob")).toEqual(before);
  });

  test("reports what has been done and where to continue if it fails midway", async () => {
    const store = memoryStore();
    let saves = 0;
    const failing: Store = {
      ...store,
      aliases: {
        ...store.aliases,
        save: async (before, after) => {
          saves += 1;
          return saves === 3 ? err({ code: "unavailable" }) : store.aliases.save(before, after);
        },
      },
    };
    world = await openWorld(issuer(), { store: failing });
    const { a, b } = await setUp();
    for (let i = 0; i < 5; i += 1) await world.alias(`shop${i}`, [a]);
    const first = await reassign(a, { recipient_id: b });
    expect(first).toMatchObject({ status: 200, body: { remaining: 3, next_cursor: expect.any(String) } });
    expect(first.body.reassigned).toHaveLength(2);
    const second = await reassign(a, { recipient_id: b, cursor: first.body.next_cursor });
    expect(second.body).toMatchObject({ remaining: 0, next_cursor: null });
    expect(second.body.reassigned).toHaveLength(3);
  });
});
