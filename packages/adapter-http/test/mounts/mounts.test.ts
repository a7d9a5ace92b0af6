import { connect } from "node:net";
import { memoryStore } from "@postern/adapter-memory";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BASE, MOUNTS, type Mounted, openMounted } from "../support/mounted.ts";
import { stopClock } from "../support/stop-clock.ts";
import { exchange } from "../support/wire.ts";

/* The same in every application that the API can be mounted in, over real HTTP. */

describe.each(Object.entries(MOUNTS))("mounted in %s", (_, mount) => {
  let app: Mounted;
  beforeEach(async () => {
    app = await openMounted(mount);
  });
  afterEach(() => app.close());

  test.each([BASE, `${BASE}/v1`])("replaces recipients, end to end, below %s", async (base) => {
    const [a, b, c] = await app.recipients("a", "b", "c");
    const created = await app.call("POST", `${base}/aliases`, {
      body: { alias_email: "shop@alias.example", recipient_ids: [a] },
    });
    expect(created.status).toBe(201);
    const location = String(created.headers.get("location"));
    expect(location).toBe(`${base}/aliases/${created.body.alias_id}`);

    const replaced = await app.call("PUT", `${location}/recipients`, {
      headers: { "if-match": '"1"' },
      body: { recipient_ids: [c, b] },
    });
    expect(replaced).toMatchObject({
      status: 200,
      body: { destination_emails: ["c@mail.example", "b@mail.example"] },
    });
    expect(replaced.headers.get("etag")).toBe('"2"');
    expect((await app.call("GET", location)).body).toEqual(replaced.body);
  });

  test("its links work", async () => {
    const added = await app.call("POST", `${BASE}/recipients`, {
      body: { recipient_email: "a@mail.example" },
    });
    expect(added.headers.get("location")).toBe(`${BASE}/recipients/${added.body.recipient_id}`);
    const link = `${BASE}/v1/recipients/verify?token=${app.links[0]}`;
    const opened = await app.call("GET", link, { as: null });
    expect(opened.body).toEqual({
      verified: false,
      confirm_url: `${link}&confirm=true`,
      suppress_url: `${link}&suppress=true`,
    });
    const page = await app.call("GET", link, { as: null, headers: { accept: "text/html" } });
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toContain("style-src 'sha256-");
    expect((await app.call("GET", opened.body.confirm_url, { as: null })).body).toEqual({ verified: true });
  });

  test("a problem document contains the whole path", async () => {
    const path = `${BASE}/aliases/%F0%9F%93%AE`;
    const { headers, ...missing } = await app.call("GET", `${path}?x=secret`);
    expect(missing).toMatchObject({ status: 404, body: { code: "alias_not_found", instance: path } });
    expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("authenticates by the application's session", async () => {
    const refused = await app.call("GET", `${BASE}/aliases`, { as: null });
    expect(refused).toMatchObject({ status: 401, body: { message: "Unauthorized" } });
    const [a] = await app.recipients("a");
    await app.call("POST", `${BASE}/aliases`, { body: { recipient_ids: [a] } });
    expect((await app.call("GET", `${BASE}/aliases`)).body.aliases).toHaveLength(1);
    expect((await app.call("GET", `${BASE}/aliases`, { as: "bob" })).body.aliases).toHaveLength(0);
    expect(app.seen[0]).toMatchObject({ method: "GET", url: `${BASE}/aliases`, authorization: undefined });
  });

  test.each(["/nowhere", "/", "/v2/aliases", "/aliases/", "/aliases/a/b/c"])(
    "below the mount path, %s gets the API's 404, after 401",
    async (path) => {
      expect(await app.call("GET", BASE + path)).toMatchObject({
        status: 404,
        body: { code: "route_not_found", instance: BASE + path },
      });
      expect((await app.call("POST", BASE + path, { body: "{" })).status).toBe(404);
      expect((await app.call("GET", BASE + path, { as: null })).status).toBe(401);
    },
  );

  test.each(["PUT", "OPTIONS", "PROPFIND"])("below the mount path, %s gets the API's 405", async (method) => {
    const response = await app.call(method, `${BASE}/v1/aliases`);
    expect(response).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(response.headers.get("allow")).toBe("GET, HEAD, POST");
  });

  test.each(["/nowhere", "/", "/mailbox", "/aliases", "/v1/aliases", "/health"])(
    "elsewhere, %s gets the application's 404",
    async (path) => {
      expect(await app.call("GET", path, { as: null })).toMatchObject({
        status: 404,
        body: { application: expect.any(String) },
      });
    },
  );

  test("the application's own routes work", async () => {
    expect(await app.call("GET", "/own", { as: null })).toMatchObject({ status: 200 });
  });

  test("HEAD is GET without the body", async () => {
    const get = await app.call("GET", `${BASE}/aliases`);
    const head = await app.call("HEAD", `${BASE}/aliases`);
    expect([head.status, head.body]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect((await app.call("HEAD", `${BASE}/nowhere`)).status).toBe(404);
  });

  test("204 has no body", async () => {
    const [a] = await app.recipients("a");
    const deleted = await app.call("DELETE", `${BASE}/recipients/${a}`);
    expect([deleted.status, deleted.body, deleted.headers.get("content-type")]).toEqual([204, "", null]);
  });

  test("a request without a body works", async () => {
    const [a] = await app.recipients("a");
    const { body } = await app.call("POST", `${BASE}/aliases`, { body: { recipient_ids: [a] } });
    await app.call("DELETE", `${BASE}/aliases/${body.alias_id}`);
    for (const headers of [{}, { "content-type": "application/json" }]) {
      const restored = await app.call("POST", `${BASE}/aliases/${body.alias_id}/restore`, { headers });
      expect(restored).toMatchObject({ status: 200, body: { datetime_deleted: null } });
    }
  });

  test.each([
    ["malformed JSON", "{", "application/json", 400, "malformed_json"],
    ["another type", "{}", "text/plain", 415, "unsupported_media_type"],
    ["64 KiB and a byte", " ".repeat(64 * 1024 + 1), "application/json", 413, "payload_too_large"],
    ["an unknown member", '{"x":1}', "application/json", 400, "invalid_request"],
  ])("a body: %s", async (_name, body, type, status, code) => {
    const response = await app.call("POST", `${BASE}/recipients`, {
      body,
      headers: { "content-type": type },
    });
    expect(response).toMatchObject({ status, body: { code } });
  });

  test("a body of 64 KiB is accepted", async () => {
    const body = '{"recipient_email":"me@mail.example"}'.padEnd(64 * 1024);
    expect((await app.call("POST", `${BASE}/recipients`, { body })).status).toBe(201);
  });

  test("does not read an endless body to the end", async () => {
    const { port } = new URL(app.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    const received = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.write(
      `POST ${BASE}/recipients HTTP/1.1\r\nHost: x\r\nX-Session: alice\r\nContent-Type: application/json\r\n` +
        "Transfer-Encoding: chunked\r\n\r\n",
    );
    // Never ends.
    const sending = setInterval(() => socket.write(`400\r\n${" ".repeat(0x400)}\r\n`), 2);
    expect(await received).toMatch(/^HTTP\/1\.1 413 /);
    clearInterval(sending);
    socket.destroy();
  });

  test("does not wait for the body of an unauthenticated request", async () => {
    const { responses } = await exchange(
      Number(new URL(app.url).port),
      `POST ${BASE}/recipients HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([401]);
  });

  test("sends 100 Continue once", async () => {
    const { responses } = await exchange(
      Number(new URL(app.url).port),
      [
        `POST ${BASE}/recipients HTTP/1.1\r\nHost: x\r\nX-Session: alice\r\nContent-Type: application/json\r\n` +
          "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n",
        "{",
      ],
      { count: 2 },
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([100, 400]);
  });

  test("returns the client's request id, or a new one", async () => {
    const given = await app.call("GET", `${BASE}/health`, { headers: { "x-request-id": "mine-1" } });
    expect(given.headers.get("x-request-id")).toBe("mine-1");
    const other = await app.call("GET", `${BASE}/health`, { headers: { "x-request-id": "me@x" } });
    expect(other.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
  });

  test("an exception leads to the API's 500", async () => {
    await app.close();
    const store = memoryStore();
    const list = () => Promise.reject(new TypeError("no row for me@mail.example"));
    app = await openMounted(mount, { store: { ...store, aliases: { ...store.aliases, list } } });
    expect(await app.call("GET", `${BASE}/aliases`)).toMatchObject({
      status: 500,
      body: { code: "internal_error" },
    });
    expect(app.lines).toHaveLength(1);
    expect(JSON.stringify(app.lines)).not.toContain("mail.example");
  });

  test("concurrent requests keep their accounts apart", async () => {
    stopClock();
    const [a] = await app.recipients("a");
    await app.call("POST", `${BASE}/aliases`, { body: { recipient_ids: [a] } });
    const counts = await Promise.all(
      Array.from({ length: 60 }, async (_each, i) => {
        const as = i % 2 === 0 ? "alice" : "bob";
        return (await app.call("GET", `${BASE}/aliases`, { as })).body.aliases.length;
      }),
    );
    expect(counts).toEqual(Array.from({ length: 60 }, (_each, i) => (i % 2 === 0 ? 1 : 0)));
  });
});
