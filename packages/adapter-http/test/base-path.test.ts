import { afterAll, beforeAll, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

/* The API below a base path, for proxies and applications that do not strip it. */

const issuer = useIssuer();
let world: World;
beforeAll(async () => {
  world = await openWorld(issuer(), { basePath: "/api/mail" });
});
afterAll(() => world.api.close());

const call = async (
  method: "GET" | "POST" | "PUT",
  url: string,
  body?: object,
  as: string | null = "alice",
) => {
  const response = await world.api.inject({
    method,
    url,
    headers: {
      ...(as !== null && { authorization: `Bearer ${await issuer().token({ sub: as })}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, headers: response.headers, body: response.json() };
};

test.each(["/api/mail", "/api/mail/v1"])("links begin with %s", async (base) => {
  const added = await call("POST", `${base}/recipients`, {
    recipient_email: `me@${base.length}.mail.example`,
  });
  expect(added.status).toBe(201);
  expect(added.headers["location"]).toBe(`${base}/recipients/${added.body.recipient_id}`);
  expect((await call("GET", String(added.headers["location"]))).status).toBe(200);

  const link = `${base}/recipients/verify?token=${world.links.at(-1)}`;
  const opened = await call("GET", link, undefined, null);
  expect(opened.body.confirm_url).toBe(`${link}&confirm=true`);
  expect((await call("GET", opened.body.confirm_url, undefined, null)).body).toEqual({ verified: true });

  const recipient_ids = [added.body.recipient_id];
  const created = await call("POST", `${base}/aliases`, { recipient_ids });
  expect(created.headers["location"]).toBe(`${base}/aliases/${created.body.alias_id}`);
  const missing = await call("PUT", `${base}/aliases/none/recipients`, { recipient_ids });
  expect(missing).toMatchObject({ status: 404, body: { instance: `${base}/aliases/none/recipients` } });
});

test.each(["/aliases", "/api/mailbox/aliases", "/api", "/api/mail", "/api/mail/", "/api/mail/v2/aliases"])(
  "%s is 404",
  async (url) => {
    expect(await call("GET", url)).toMatchObject({
      status: 404,
      body: { code: "route_not_found", instance: url },
    });
    expect((await call("GET", url, undefined, null)).status).toBe(401);
  },
);

test("other methods are 405", async () => {
  const response = await call("PUT", "/api/mail/v1/aliases", {});
  expect(response).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, POST" } });
});

test.each([
  "mail",
  "mail/",
  "/mail/",
  "/",
  "//mail",
  "/mail//box",
  "/:tenant",
  "/mail/*",
  "/mail?x",
  "https://x/mail",
])("rejects the base path %j and says why", async (basePath) => {
  await expect(openWorld(issuer(), { basePath })).rejects.toThrow(TypeError);
  await expect(openWorld(issuer(), { basePath })).rejects.toThrow(/a leading slash, no trailing slash/);
});
