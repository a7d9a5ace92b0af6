import { createHash } from "node:crypto";
import { MAX_TOKEN_LENGTH } from "@postern/core";
import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const add = (email = "me@mail.example", as = "alice") =>
  world.call("POST", "/recipients", { as, body: { recipient_email: email } });
const resend = (id: string) => world.call("POST", `/recipients/${id}/verification`);

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
      datetime_default: null,
      datetime_verified: null,
      datetime_verification_sent: expect.any(Number),
      verification_note: null,
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

  test("stores the recipient even if the message cannot be sent, and says so wherever it is shown until one is sent", async () => {
    world.mailWorks(false);
    const { status, body } = await add();
    expect([status, body.verification_mail]).toEqual([201, "not_sent"]);
    const unsent = {
      datetime_verification_sent: null,
      verification_note: expect.stringMatching(
        /^No mail server has confirmed.*check the address.*POST \/recipients\/{recipient_id}\/verification/,
      ),
    };
    const url = `/recipients/${body.recipient_id}`;
    const shown = async () => [
      (await world.call("GET", url)).body,
      (await world.call("GET", "/recipients")).body.recipients[0],
      (await world.call("PATCH", url, { body: {} })).body,
    ];
    for (const each of [body, (await resend(body.recipient_id)).body, ...(await shown())]) {
      expect(each).toMatchObject(unsent);
    }

    world.mailWorks(true);
    const sent = (await resend(body.recipient_id)).body;
    for (const each of [sent, ...(await shown())]) {
      expect(each).toMatchObject({
        datetime_verification_sent: sent.datetime_updated,
        verification_note: null,
      });
    }
  });

  test.each([
    ["queues", "queued", /^The verification message is waiting to be sent\..*after an hour/],
    ["refuses", "not_sent", /^The mail server of this address has refused .* for good: .*Check the address/],
  ] as const)("says wherever the recipient is shown that mail %s", async (mail, answer, note) => {
    world = await openWorld(issuer(), { mail });
    const { status, body } = await add();
    expect([status, body.verification_mail]).toEqual([201, answer]);
    const url = `/recipients/${body.recipient_id}`;
    for (const shown of [body, (await world.call("GET", url)).body]) {
      expect(shown).toMatchObject({
        datetime_verification_sent: null,
        verification_note: expect.stringMatching(note),
      });
    }
    world.advance(MINUTE);
    expect((await resend(body.recipient_id)).body.verification_mail).toBe(answer);
    world.mailWorks(true);
    world.advance(MINUTE);
    expect((await resend(body.recipient_id)).body).toMatchObject({
      verification_mail: "sent",
      verification_note: null,
    });
  });

  test("a verified recipient has no note, even if it was never sent a message", async () => {
    await world.recipient("adopted");
    const { body } = await world.call("GET", "/recipients");
    expect(body.recipients).toMatchObject([
      { verified: true, datetime_verification_sent: null, verification_note: null },
    ]);
  });

  test("rejects an address that the account already has, in any case; other accounts can add it", async () => {
    await add();
    const before = await world.contents("alice");
    expect(await add("ME@mail.example")).toMatchObject({ status: 409, body: { code: "address_taken" } });
    expect(await world.contents("alice")).toEqual(before);
    world.advance(MINUTE);
    expect((await add("me@mail.example", "bob")).status).toBe(201);
  });

  test("rejects a recipient beyond the account's limit: 403 with the limit; nothing is stored or sent", async () => {
    world = await openWorld(issuer(), { limits: { recipients: 2 } });
    await world.recipient("a");
    const { recipient_id } = (await add("b@mail.example")).body;
    const before = await world.contents("alice");
    expect(await add()).toMatchObject({ status: 403, body: { code: "too_many_recipients", limit: 2 } });
    expect(await world.contents("alice")).toEqual(before);
    expect(world.links).toHaveLength(1);
    expect((await add("me@mail.example", "bob")).status).toBe(201);
    await world.call("DELETE", `/recipients/${recipient_id}`);
    expect((await add("c@mail.example")).status).toBe(201);
  });

  test("rejects an unverified recipient beyond the account's limit, until one is verified", async () => {
    world = await openWorld(issuer(), { limits: { unverifiedRecipients: 1 } });
    await world.recipient("a");
    await add("b@mail.example");
    const before = await world.contents("alice");
    expect(await add()).toMatchObject({
      status: 403,
      body: { code: "too_many_unverified_recipients", limit: 1 },
    });
    expect(await world.contents("alice")).toEqual(before);
    await world.call("GET", `/recipients/verify?token=${world.links[0]}&confirm=true`, { as: null });
    expect((await add()).status).toBe(201);
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

  /** The label of each form's button, and the query that it submits to the page's own path. */
  const formsOf = (page: string): readonly (readonly [label: string, query: string])[] =>
    [...page.matchAll(/<form method="get">(.*?)<button[^>]*>(.*?)<\/button>\s*<\/form>/gs)].map(
      ([, fields = "", label = ""]) => [
        label,
        [...fields.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, k, v]) => `${k}=${v}`).join("&"),
      ],
    );
  const queryOf = (page: string, button: string) => String(new Map(formsOf(page)).get(button));

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
          suppress_url: `${prefix}/recipients/verify?token=${world.links[0]}&suppress=true`,
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

  test("shows a browser a page with two buttons; the first one verifies", async () => {
    await add();
    const page = await open(`token=${world.links[0]}`, BROWSER, "/v1");
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["vary"]).toBe("Accept, Accept-Language, Origin, Sec-Purpose, Purpose, X-Moz");
    expect(await verified()).toBe(false);
    expect(formsOf(page.body)).toEqual([
      ["Confirm this address", `token=${world.links[0]}&confirm=true`],
      ["Never write to me again", `token=${world.links[0]}&suppress=true`],
    ]);

    const done = await open(queryOf(page.body, "Confirm this address"), BROWSER, "/v1");
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
    [`token=${"x".repeat(MAX_TOKEN_LENGTH + 1)}`, "token"],
    ["token=a&token=b", "token"],
    ["token=a&confirm=yes", "confirm"],
    ["token=a&confirm=true&confirm=true", "confirm"],
    ["token=a&suppress=yes", "suppress"],
    ["token=a&confirm=true&suppress=true", "suppress"],
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

  const CHANGES = ["confirm", "suppress"] as const;
  /** Throws unless following the link had no effect: the recipient is unverified, and can be sent another message. */
  const expectUnchanged = async () => {
    const [{ recipient_id, verified }] = (await world.call("GET", "/recipients")).body.recipients;
    expect(verified).toBe(false);
    world.advance(MINUTE);
    expect((await resend(recipient_id)).status).toBe(200);
  };

  test.each(CHANGES)("HEAD with %s changes nothing", async (change) => {
    await add();
    const response = await open(`token=${world.links[0]}&${change}=true`, {}, "", "HEAD");
    expect(response).toMatchObject({ status: 200, body: "" });
    await expectUnchanged();
  });

  describe.each([
    { "sec-purpose": "prefetch" },
    { "sec-purpose": "prefetch;prerender" },
    { "sec-purpose": "prefetch;anonymous-client-ip" },
    { purpose: "prefetch" },
    { "x-moz": "prefetch" },
  ])("a prefetch (%o)", (headers) => {
    test.each(CHANGES)(
      "with %s changes nothing, and its status makes browsers repeat the request",
      async (change) => {
        await add();
        const query = `token=${world.links[0]}&${change}=true`;
        for (const accept of [BROWSER.accept, "application/json"]) {
          const { status } = await open(query, { ...headers, accept });
          expect(status).toBe(400);
        }
        expect(await open(query, headers)).toMatchObject({
          body: { code: "invalid_request", errors: [{ parameter: "Sec-Purpose" }] },
          headers: {
            "cache-control": "no-store",
            vary: "Accept, Accept-Language, Origin, Sec-Purpose, Purpose, X-Moz",
          },
        });
        await expectUnchanged();
      },
    );

    test("of the link itself gets the same page as a click", async () => {
      await add();
      const query = `token=${world.links[0]}`;
      expect((await open(query, { ...headers, ...BROWSER })).body).toBe((await open(query, BROWSER)).body);
    });
  });

  test("another purpose is not a prefetch", async () => {
    await add();
    const headers = { purpose: "preview", "sec-purpose": "prefetching" };
    expect((await open(`token=${world.links[0]}&confirm=true`, headers)).body).toEqual({ verified: true });
  });

  describe("with suppress=true", () => {
    const SUPPRESSED = { status: 403, body: { code: "mailbox_suppressed" } };

    test("the mailbox gets no more messages, whichever account requests them (JSON)", async () => {
      const { recipient_id } = (await add()).body;
      const { suppress_url } = (await open(`token=${world.links[0]}`)).body;
      const done = await world.call("GET", suppress_url, { as: null });
      expect(done).toMatchObject({ status: 200, body: { suppressed: true } });
      expect(Object.keys(done.body)).toEqual(["suppressed"]);
      expect((await world.call("GET", suppress_url, { as: null })).body).toEqual({ suppressed: true });

      world.advance(365 * DAY);
      const before = await world.contents("alice", "bob");
      expect(await resend(recipient_id)).toMatchObject(SUPPRESSED);
      expect(await add("Me+tag@mail.example", "bob")).toMatchObject(SUPPRESSED);
      expect(await world.contents("alice", "bob")).toEqual(before);
      expect(world.links).toHaveLength(1);
      expect((await add("other@mail.example")).status).toBe(201);
    });

    test("shows a browser a page that says what was done", async () => {
      const { recipient_id } = (await add()).body;
      const page = await open(`token=${world.links[0]}`, BROWSER, "/v1");
      const done = await open(queryOf(page.body, "Never write to me again"), BROWSER, "/v1");
      expect(done.status).toBe(200);
      expect(done.body).toContain("You will get no more messages");
      expect(done.body).not.toContain("mail.example");
      expect(formsOf(done.body)).toEqual([]);
      world.advance(MINUTE);
      expect(await resend(recipient_id)).toMatchObject(SUPPRESSED);
    });

    test("a recipient that is already verified keeps receiving mail; one that is not can still confirm", async () => {
      await add();
      await add("later@mail.example");
      const [first, second] = world.links;
      await open(`token=${first}&confirm=true`);
      const before = await world.contents("alice");
      for (const token of [first, second]) await open(`token=${token}&suppress=true`);
      expect(await world.contents("alice")).toEqual(before);
      expect((await open(`token=${second}&confirm=true`)).body).toEqual({ verified: true });
    });

    test.each([
      ["expired", () => world.advance(DAY)],
      ["superseded", resend],
      ["of a deleted recipient", (id: string) => world.call("DELETE", `/recipients/${id}`)],
    ])("works with a link that is %s: the page that reports it has the button", async (_, spoil) => {
      const { recipient_id } = (await add()).body;
      world.advance(MINUTE);
      await spoil(recipient_id);
      const page = await open(`token=${world.links[0]}&confirm=true`, BROWSER);
      expect(page.status).toBe(400);
      expect(page.body).toContain("This link does not work");
      const done = await open(queryOf(page.body, "Never write to me again"), BROWSER);
      expect(done.status).toBe(200);
      world.advance(MINUTE);
      expect(await add("me@mail.example", "bob")).toMatchObject(SUPPRESSED);
    });

    test("a link that this service did not send is 400, on a page without the button", async () => {
      expect(await open("token=forged&suppress=true")).toMatchObject({
        status: 400,
        body: { code: "link_invalid" },
      });
      const page = await open("token=forged&suppress=true", BROWSER);
      expect(page.status).toBe(400);
      expect(page.body).toContain("This link does not work");
      expect(formsOf(page.body)).toEqual([]);
    });
  });
});
