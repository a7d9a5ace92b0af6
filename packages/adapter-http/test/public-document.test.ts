import { expect, onTestFinished, test } from "vitest";
import { fetchHandler, openApiDocument } from "../src/index.ts";
import { SAFE } from "./support/safe-headers.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

const issuer = useIssuer();

const ORIGIN = "https://app.example";

/** An API with a public document. Answers with what `fetch` gets. */
const openDocument = async (options: Parameters<typeof openWorld>[1] = {}) => {
  const { api } = await openWorld(issuer(), { corsOrigins: [ORIGIN], publicDocument: true, ...options });
  onTestFinished(() => api.close());
  const handle = fetchHandler(api);
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    handle(new Request(`http://postern.test${path}`, { method, headers }));
  return { get };
};

test("everybody can read the document, and a client that has it need not read it again", async () => {
  const { get } = await openDocument();
  const first = await get("/openapi.json", { origin: ORIGIN });
  expect(first.status).toBe(200);
  expect(Object.fromEntries(first.headers)).toMatchObject({
    ...SAFE,
    "cache-control": "public, max-age=300",
    "content-type": "application/json; charset=utf-8",
    "access-control-allow-origin": ORIGIN,
    vary: "Origin",
  });
  const text = await first.text();
  expect(JSON.parse(text)).toEqual(openApiDocument());
  expect(first.headers.get("content-length")).toBe(`${Buffer.byteLength(text)}`);

  const head = await get("/v1/openapi.json", {}, "HEAD");
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const etag = head.headers.get("etag") ?? expect.unreachable();
  expect(first.headers.get("etag")).toBe(etag);
  expect(head.headers.get("content-length")).toBe(first.headers.get("content-length"));
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await get("/openapi.json", { "if-none-match": known });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("etag")).toBe(etag);
    expect(again.headers.get("cache-control")).toBe("public, max-age=300");
    expect(again.headers.get("content-type")).toBeNull();
  }
  for (const other of ['"other"', etag.slice(1, -1), ""]) {
    expect((await get("/openapi.json", { "if-none-match": other })).status).toBe(200);
  }

  const elsewhere = await get("/openapi.json", { origin: "https://evil.example" });
  expect(elsewhere.headers.has("access-control-allow-origin")).toBe(false);
  expect((await get("/openapi.json", {}, "POST")).status).toBe(401);
  expect((await get("/openapi.json/")).status).toBe(401);
});

test("under a mount path, the server in the document is below it", async () => {
  const { get } = await openDocument({ basePath: "/mail" });
  expect(await (await get("/mail/openapi.json")).json()).toMatchObject({
    servers: [{ url: "/mail/v1" }],
  });
});

test("unless the operator says so, there is no such path", async () => {
  const { get } = await openDocument({ publicDocument: false });
  expect((await get("/openapi.json")).status).toBe(401);
  const authorization = `Bearer ${await issuer().token({ sub: "alice" })}`;
  expect((await get("/openapi.json", { authorization })).status).toBe(404);
});

test("its readers count against the limit of their address", async () => {
  const { get } = await openDocument({ rateLimit: { perMinute: 2 } });
  for (const status of [200, 200, 429]) expect((await get("/openapi.json")).status).toBe(status);
});
