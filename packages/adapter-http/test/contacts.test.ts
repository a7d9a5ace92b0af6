import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
let contacts: string;

const open = async (options: Parameters<typeof openWorld>[1] = {}) => {
  world = await openWorld(issuer(), options);
  const alias = await world.call("POST", "/aliases", {
    body: { alias_email: "shop@alias.example", recipient_ids: [await world.recipient("me")] },
  });
  contacts = `/aliases/${alias.body.alias_id}/contacts`;
};
beforeEach(async () => open());

const create = async (email: string, as = "alice") => world.call("POST", contacts, { as, body: { email } });

describe("POST /aliases/{alias_id}/contacts", () => {
  test.each(["", "/v1"])("returns the same address to write to each time, under %j", async (prefix) => {
    const body = { email: "Support@Shop.example" };
    const created = await world.call("POST", `${prefix}${contacts}`, { body });
    expect(created).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(created.body).toEqual({
      contact_id: expect.stringMatching(/^[a-z2-7]{26}$/),
      email: "Support@shop.example",
      reverse_email: `r-${created.body.contact_id}@alias.example`,
      blocking: "none",
      datetime_added: expect.any(Number),
      datetime_last_received: null,
      datetime_last_sent: null,
      datetime_created: created.body.datetime_added,
    });
    expect(await create("support@SHOP.example")).toMatchObject({ status: 200, body: created.body });
    expect((await world.call("GET", contacts)).body).toEqual({ contacts: [created.body], next_cursor: null });
  });

  test.each([
    ["nobody", 400, "invalid_request"],
    ["other@alias.example", 422, "address_not_allowed"],
  ])("refuses %s", async (email, status, code) => {
    expect(await create(email)).toMatchObject({ status, body: { code } });
    expect((await world.call("GET", contacts)).body.contacts).toEqual([]);
  });

  test("needs an alias of the account that is not deleted", async () => {
    expect(await create("a@shop.example", "bob")).toMatchObject({
      status: 404,
      body: { code: "alias_not_found" },
    });
    await world.call("DELETE", contacts.replace("/contacts", ""));
    expect(await create("a@shop.example")).toMatchObject({ status: 409, body: { code: "alias_deleted" } });
  });

  test("fails at the alias's limit", async () => {
    await open({ limits: { contacts: 1 } });
    await create("a@shop.example");
    const refused = await create("b@shop.example");
    expect(refused).toMatchObject({ status: 403, body: { code: "too_many_contacts", limit: 1 } });
    expect(await create("a@shop.example")).toMatchObject({ status: 200 });
  });
});

describe("GET /aliases/{alias_id}/contacts", () => {
  test("lists contacts newest first, page by page", async () => {
    for (const name of ["a", "b", "c"]) await create(`${name}@shop.example`);
    const seen: string[] = [];
    for (let query: string | null = ""; query !== null; ) {
      const page: Awaited<ReturnType<World["call"]>> = await world.call("GET", `${contacts}?limit=2${query}`);
      expect(page.status).toBe(200);
      seen.push(...page.body.contacts.map(({ email }: { readonly email: string }) => email));
      query = page.body.next_cursor === null ? null : `&cursor=${page.body.next_cursor}`;
    }
    expect(seen).toEqual(["c@shop.example", "b@shop.example", "a@shop.example"]);
  });

  test("finds the one with an address", async () => {
    const { body } = await create("a+b@shop.example");
    await create("b@shop.example");
    const find = async (query: string) => world.call("GET", `${contacts}?email=${query}`);
    for (const query of ["a%2Bb@shop.example", "A%2BB%40SHOP.EXAMPLE&limit=1"]) {
      expect(await find(query)).toMatchObject({ status: 200, body: { contacts: [body], next_cursor: null } });
    }
    expect((await find("c@shop.example")).body).toEqual({ contacts: [], next_cursor: null });
    for (const query of ["", "b", "a+b@shop.example", "a@shop.example&email=b@shop.example"]) {
      expect(await find(query), query).toMatchObject({
        status: 400,
        body: { code: "invalid_request", errors: [{ parameter: "email" }] },
      });
    }
  });

  test("rejects a cursor of another list", async () => {
    for (const name of ["x", "y"]) await world.recipient(name);
    const { body } = await world.call("GET", "/recipients?limit=1");
    expect(await world.call("GET", `${contacts}?cursor=${body.next_cursor}`)).toMatchObject({ status: 400 });
  });

  test("shows nothing of other accounts", async () => {
    expect(await world.call("GET", contacts, { as: "bob" })).toMatchObject({ status: 404 });
  });
});

describe("a contact", () => {
  test("can be read, and blocked at the version that was read", async () => {
    const { body } = await create("a@shop.example");
    const url = `${contacts}/${body.contact_id}`;
    const patch = async (blocking: string, headers: Record<string, string> = {}) =>
      world.call("PATCH", url, { body: { blocking }, headers });
    expect(await world.call("GET", url)).toMatchObject({ status: 200, headers: { etag: '"1"' }, body });
    for (const [n, blocking] of ["reject", "discard", "none"].entries()) {
      expect(await patch(blocking, { "if-match": `"${n + 1}"` })).toMatchObject({
        status: 200,
        headers: { etag: `"${n + 2}"` },
        body: { ...body, blocking },
      });
    }
    expect(await patch("reject", { "if-match": '"1"' })).toMatchObject({
      status: 412,
      body: { code: "precondition_failed" },
    });
    expect(await patch("sometimes")).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/blocking", reason: "must be one of: none, reject, discard" }] },
    });
    expect(await world.call("PATCH", url, { body: {} })).toMatchObject({ headers: { etag: '"4"' }, body });
  });

  test("of another alias or account, or one that never existed, is not found", async () => {
    const { body } = await create("a@shop.example");
    const other = await world.call("POST", "/aliases", {
      body: { recipient_ids: [await world.recipient("x")] },
    });
    const elsewhere = `/aliases/${other.body.alias_id}/contacts/${body.contact_id}`;
    for (const url of [elsewhere, `${contacts}/${"a".repeat(26)}`]) {
      for (const call of [
        world.call("GET", url),
        world.call("PATCH", url, { body: { blocking: "reject" } }),
      ]) {
        expect(await call).toMatchObject({ status: 404, body: { code: "contact_not_found" } });
      }
    }
    expect(await world.call("GET", `${contacts}/${body.contact_id}`, { as: "bob" })).toMatchObject({
      status: 404,
      body: { code: "alias_not_found" },
    });
  });
});
