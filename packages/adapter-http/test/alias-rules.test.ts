import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
let alias: string;
let rules: string;

beforeEach(async () => {
  world = await openWorld(issuer());
  const created = await world.call("POST", "/aliases", {
    body: { alias_email: "shop@alias.example", recipient_ids: [await world.recipient("me")] },
  });
  alias = `/aliases/${created.body.alias_id}`;
  rules = `${alias}/rules`;
});

const NONE = { accept_from: "everybody", senders: [], active_until: null, messages_left: null };
/** Later than the world's clock. */
const LATER = Date.UTC(2060);

const patch = async (body: object, headers: Record<string, string> = {}) =>
  world.call("PATCH", rules, { body, headers });

describe("the rules of an alias", () => {
  test.each(["", "/v1"])("are read and changed under %j, and share the alias's version", async (prefix) => {
    const read = await world.call("GET", `${prefix}${rules}`);
    expect(read).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(read.body).toEqual(NONE);
    const changes = {
      accept_from: "listed",
      senders: ["Friend@SENDER.example", "Shop.example"],
      active_until: LATER,
      messages_left: 3,
    };
    const changed = await world.call("PATCH", `${prefix}${rules}`, {
      body: changes,
      headers: { "if-match": '"1"' },
    });
    expect(changed).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(changed.body).toEqual({ ...changes, senders: ["Friend@sender.example", "shop.example"] });
    expect((await world.call("GET", rules)).body).toEqual(changed.body);
    expect(await world.call("GET", alias)).toMatchObject({ headers: { etag: '"2"' } });
    expect(await patch({ messages_left: 9 }, { "if-match": '"1"' })).toMatchObject({ status: 412 });
  });

  test("keep their values if a patch omits them, and are reset by null", async () => {
    await patch({ accept_from: "listed", senders: ["shop.example"], messages_left: 3, active_until: LATER });
    expect((await patch({ messages_left: 2 })).body).toEqual({
      accept_from: "listed",
      senders: ["shop.example"],
      messages_left: 2,
      active_until: LATER,
    });
    expect((await patch({})).headers["etag"]).toBe('"3"');
    const nulls = Object.fromEntries(Object.keys(NONE).map((name) => [name, null]));
    expect((await patch(nulls)).body).toEqual(NONE);
  });

  test.each([
    [{ accept_from: "nobody" }, "/accept_from", "must be one of: everybody, written_to, listed"],
    [{ senders: ["shop.example", "shop"] }, "/senders/1", expect.stringContaining("or a domain such as")],
    [{ active_until: 1 }, "/active_until", "must be in the future: to stop mail now, switch the alias off"],
    [{ messages_left: 0 }, "/messages_left", "must be at least 1: to stop mail now, switch the alias off"],
    [{ accepts: "everybody" }, "/accepts", expect.any(String)],
  ])("are refused: %j", async (body, pointer, reason) => {
    expect(await patch(body)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ pointer, reason }] },
    });
    expect(await world.call("GET", rules)).toMatchObject({ headers: { etag: '"1"' }, body: NONE });
  });

  test("are available to the alias's own account only; those of a deleted alias can be read but not changed", async () => {
    expect(await world.call("GET", rules, { as: "bob" })).toMatchObject({ status: 404 });
    expect(await world.call("PATCH", rules, { as: "bob", body: {} })).toMatchObject({
      status: 404,
      body: { code: "alias_not_found" },
    });
    await patch({ messages_left: 3 });
    await world.call("DELETE", alias);
    expect(await patch({ messages_left: 4 })).toMatchObject({ status: 409, body: { code: "alias_deleted" } });
    expect((await world.call("GET", rules)).body.messages_left).toBe(3);
  });

  test("do not appear in the alias, which has the 20 fields of the specification", async () => {
    await patch({ messages_left: 3 });
    const { body } = await world.call("GET", alias);
    expect(Object.keys(body)).toHaveLength(20);
    for (const rule of Object.keys((await world.call("GET", rules)).body))
      expect(body).not.toHaveProperty(rule);
  });
});
