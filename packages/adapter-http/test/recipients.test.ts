import { createHash } from "node:crypto";
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

const add = (email = "me@mail.example", as = "alice") =>
  world.call("POST", "/recipients", { as, body: { recipient_email: email } });

describe("POST /recipients", () => {
  test("adds an unverified recipient and sends its link", async () => {
    const added = await add();
    expect(added.status).toBe(201);
    expect(added.headers["location"]).toBe(`/recipients/${added.body.recipient_id}`);
    expect(added.body).toEqual({
      recipient_id: expect.any(String),
      recipient_email: "me@mail.example",
      verified: false,
      active: true,
      alias_count: 0,
      datetime_verified: null,
      datetime_created: expect.any(Number),
      datetime_updated: expect.any(Number),
      verification_mail: "sent",
    });
    expect(world.links).toHaveLength(1);
    const { verification_mail, ...recipient } = added.body;
    expect((await world.call("GET", "/recipients")).body).toEqual({
      recipients: [recipient],
      next_cursor: null,
    });
  });

  test("stores it even if the message cannot be sent, and says so", async () => {
    world.mailWorks(false);
    expect(await add()).toMatchObject({ status: 201, body: { verification_mail: "not_sent" } });
  });

  test("rejects an address that the account already has, in any case; other accounts can add it", async () => {
    await add();
    const before = await world.contents("alice");
    expect(await add("ME@mail.example")).toMatchObject({ status: 409, body: { code: "address_taken" } });
    expect(await world.contents("alice")).toEqual(before);
    expect((await add("me@mail.example", "bob")).status).toBe(201);
  });

  test("rejects an address on an alias domain", async () => {
    expect(await add("me@alias.example")).toMatchObject({
      status: 422,
      body: { code: "address_not_allowed" },
    });
  });

  test.each(["", "me", "me@", "me@mail", 7, null])("rejects %j", async (recipient_email) => {
    const response = await world.call("POST", "/recipients", { body: { recipient_email } });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer: "/recipient_email" }] } });
    expect(world.links).toEqual([]);
  });
});

test("GET /recipients lists all of the account's recipients, page by page", async () => {
  for (let i = 0; i < 5; i += 1) await add(`me${i}@mail.example`);
  const first = (await world.call("GET", "/recipients?limit=3")).body;
  const second = (await world.call("GET", `/recipients?limit=3&cursor=${first.next_cursor}`)).body;
  const seen = [...first.recipients, ...second.recipients].map((r) => r.recipient_email);
  expect(seen).toEqual([4, 3, 2, 1, 0].map((i) => `me${i}@mail.example`));
  expect(second.next_cursor).toBeNull();
  const wrong = await world.call("GET", "/recipients?limit=0&verified=true");
  expect(wrong).toMatchObject({
    status: 400,
    body: { errors: [{ parameter: "limit" }, { parameter: "verified" }] },
  });
});

describe("GET /recipients/verify", () => {
  const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
  const open = (query: string, headers = {}, prefix = "", method: "GET" | "HEAD" = "GET") =>
    world.call(method, `${prefix}/recipients/verify?${query}`, { as: null, headers });
  const verified = async () => (await world.call("GET", "/recipients")).body.recipients[0].verified;

  test.each(["", "/v1"])(
    "changes nothing until confirmed, then verifies (JSON, under %j)",
    async (prefix) => {
      await add();
      const before = await world.contents("alice");
      const asked = await open(`token=${world.links[0]}`, { accept: "application/json" }, prefix);
      expect(asked).toMatchObject({
        status: 200,
        body: {
          verified: false,
          confirm_url: `${prefix}/recipients/verify?token=${world.links[0]}&confirm=true`,
        },
      });
      expect(await world.contents("alice")).toEqual(before);

      const confirmed = await world.call("GET", asked.body.confirm_url, { as: null });
      expect(confirmed).toMatchObject({ status: 200, body: { verified: true } });
      expect(Object.keys(confirmed.body)).toEqual(["verified"]);
      expect(await verified()).toBe(true);
      const after = await world.contents("alice");
      expect((await world.call("GET", asked.body.confirm_url, { as: null })).body).toEqual({
        verified: true,
      });
      expect(await world.contents("alice")).toEqual(after);
    },
  );

  test("shows a browser a page with one button, which verifies", async () => {
    await add();
    const page = await open(`token=${world.links[0]}`, BROWSER, "/v1");
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["vary"]).toBe("Accept, Origin");
    expect(await verified()).toBe(false);
    expect(page.body.match(/<button/g)).toHaveLength(1);
    expect(page.body).toContain('<form method="get">');

    const fields = [...page.body.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, k, v]) => `${k}=${v}`);
    const done = await open(fields.join("&"), BROWSER, "/v1");
    expect(done.status).toBe(200);
    expect(done.body).toContain("Your address is confirmed");
    expect(done.body).not.toContain("mail.example");
    expect(await verified()).toBe(true);
  });

  test("pages are accessible and contain no scripts or external resources", async () => {
    const page = await open("token=x", BROWSER);
    const policy = String(page.headers["content-security-policy"]);
    const style = /<style>(.*?)<\/style>/s.exec(page.body)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(page.body).toContain('<html lang="en">');
    expect(page.body).toContain('name="viewport"');
    expect(page.body).toContain("color-scheme: light dark");
    expect(page.body).not.toMatch(/<script|src=|href=|javascript:/);
    expect(page.headers).toMatchObject({ "referrer-policy": "no-referrer", "cache-control": "no-store" });
  });

  test("a token is always treated as text", async () => {
    const hostile = `"><script>alert(1)</script>&'`;
    const page = await open(`token=${encodeURIComponent(hostile)}`, BROWSER);
    expect(page.body).not.toContain("<script");
    expect(page.body).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;"');
    const json = await open(`token=${encodeURIComponent(hostile)}`);
    const query = new URL(json.body.confirm_url, "http://localhost").searchParams;
    expect(query.get("token")).toBe(hostile);
  });

  test("an invalid link is 400, as a problem or as a page", async () => {
    const problem = await open("token=forged&confirm=true");
    expect(problem).toMatchObject({
      status: 400,
      body: { code: "link_invalid", instance: "/recipients/verify" },
    });
    const page = await open("token=forged&confirm=true", BROWSER);
    expect(page.status).toBe(400);
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
    expect(page.headers["content-security-policy"]).toBeDefined();
    expect(page.body).toContain("This link does not work");
  });

  test.each([
    ["", "token"],
    ["token=", "token"],
    [`token=${"x".repeat(513)}`, "token"],
    ["token=a&token=b", "token"],
    ["token=a&confirm=yes", "confirm"],
    ["token=a&confirm=true&confirm=true", "confirm"],
  ])("rejects ?%s and names %s", async (query, parameter) => {
    expect(await open(query)).toMatchObject({ status: 400, body: { errors: [{ parameter }] } });
    expect(await open(query, BROWSER)).toMatchObject({ status: 400 });
  });

  test("ignores parameters that link trackers append", async () => {
    await add();
    expect((await open(`token=${world.links[0]}&confirm=true&utm_source=mail`)).body).toEqual({
      verified: true,
    });
  });

  test("HEAD verifies nothing", async () => {
    await add();
    expect(await open(`token=${world.links[0]}&confirm=true`, {}, "", "HEAD")).toMatchObject({
      status: 200,
      body: "",
    });
    expect(await verified()).toBe(false);
  });
});
