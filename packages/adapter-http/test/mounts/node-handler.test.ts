import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import express, { type RequestHandler } from "express";
import { fastify } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { type AuthorizationRequest, createApi, nodeHandler } from "../../src/index.ts";
import { worldPorts } from "../support/world.ts";

/* Specific to Node, Express and Connect, including incorrect mounts. */

const seen: AuthorizationRequest[] = [];
const makeApi = (basePath = "") => {
  const api = createApi({
    postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...worldPorts().ports }),
    authorizer: {
      authorize: async (request) => {
        seen.push(request);
        return ok(valueOf(parseAccountId("alice")));
      },
    },
    basePath,
  });
  onTestFinished(async () => void (await api.close()));
  return api;
};

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const call = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
};
const post = (url: string, body?: string) =>
  call(url, {
    method: "POST",
    ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
  });

const BODY = '{"recipient_email":"me@mail.example"}';

const readAll: RequestHandler = (request, _response, next) => {
  request.resume().on("end", () => next());
};
const readSome: RequestHandler = (request, _response, next) => {
  request.once("data", () => {
    request.pause();
    next();
  });
};

test.each([
  ["express.json()", express.json()],
  ["express.raw()", express.raw({ type: "*/*" })],
  ["a middleware that reads the body", readAll],
  ["a middleware that reads some of it", readSome],
])("after %s: requests with a body get an explanation, others work", async (_, parser) => {
  const app = express();
  app.use(parser);
  app.use("/mail", nodeHandler(makeApi("/mail")));
  const url = await listen(app);
  expect(await post(`${url}/mail/recipients`, BODY)).toMatchObject({
    status: 500,
    body: {
      code: "misconfigured",
      detail: expect.stringMatching(/before body parsers such as express\.json/),
      instance: "/mail/recipients",
    },
  });
  if (parser === readSome) return;
  expect((await call(`${url}/mail/aliases`)).status).toBe(200);
  expect((await post(`${url}/mail/aliases/a/restore`)).status).toBe(404);
});

test.each([
  ["/mail", ""],
  ["/mail", "/other"],
  ["/mail", "/mail/v1"],
  ["/api/mail", "/mail"],
])("mounted at %s with the base path %j: every request gets an explanation", async (path, basePath) => {
  const app = express();
  app.use(path, nodeHandler(makeApi(basePath)));
  const url = await listen(app);
  for (const below of ["/aliases", "", "?x=1", "/"]) {
    expect(await call(url + path + below)).toMatchObject({
      status: 500,
      body: {
        code: "misconfigured",
        detail: expect.stringContaining("basePath"),
        instance: expect.stringMatching(path),
      },
    });
  }
});

test("each mount path needs its own API", async () => {
  const app = express();
  const api = makeApi("/one");
  app.use("/one", nodeHandler(api));
  app.use("/two", nodeHandler(api));
  app.use("/three", nodeHandler(makeApi("/three")));
  const url = await listen(app);
  const statuses = await Promise.all(
    ["/one", "/two", "/three"].map(async (path) => (await call(`${url}${path}/aliases`)).status),
  );
  expect(statuses).toEqual([200, 500, 200]);
});

test("a path that differs in case is 404, although Express ignores case", async () => {
  const app = express();
  app.use("/mail", nodeHandler(makeApi("/mail")));
  expect(await call(`${await listen(app)}/MAIL/aliases`)).toMatchObject({
    status: 404,
    body: { code: "route_not_found", instance: "/MAIL/aliases" },
  });
});

test("works in Express when the mount path is not stripped", async () => {
  const app = express();
  app.all("/mail/*path", nodeHandler(makeApi("/mail")));
  const url = await listen(app);
  expect((await call(`${url}/mail/aliases`)).status).toBe(200);
  expect((await post(`${url}/mail/recipients`, BODY)).headers.get("location")).toMatch(
    /^\/mail\/recipients\//,
  );
});

test("works with Connect, which has only originalUrl", async () => {
  const handle = nodeHandler(makeApi("/mail"));
  const url = await listen((request, response) => {
    Object.assign(request, { originalUrl: request.url, url: request.url?.replace(/^\/mail/, "") });
    handle(request, response);
  });
  expect((await call(`${url}/mail/aliases?limit=1`)).status).toBe(200);
});

test("can serve all requests of a server", async () => {
  const url = await listen(nodeHandler(makeApi()));
  expect((await call(`${url}/v1/aliases`)).status).toBe(200);
  expect((await call(`${url}/nowhere`)).body.code).toBe("route_not_found");
});

describe("used without a mount path", () => {
  const OWN = { status: 200, body: { application: true } };
  const own: RequestHandler = (request, response) =>
    void response.json({ application: true, ...request.body });

  test.each(["/", "/own", "/mailbox", "/mailbox/aliases", "/own?x=/mail/", "/mail.html", "/MAIL/aliases"])(
    "%s is passed on to the rest of an Express application",
    async (path) => {
      const app = express();
      app.use(nodeHandler(makeApi("/mail")), own);
      expect(await call((await listen(app)) + path)).toMatchObject(OWN);
    },
  );

  test.each(["/mail/aliases", "/mail/aliases?x=1", "/mail", "/mail?x=1", "/mail/nowhere"])(
    "%s is the API's",
    async (path) => {
      const app = express();
      app.use(nodeHandler(makeApi("/mail")), own);
      expect((await call((await listen(app)) + path)).body).not.toHaveProperty("application");
    },
  );

  test("a request is passed on unchanged, whether or not its body has been read", async () => {
    const app = express();
    const handle = nodeHandler(makeApi("/mail"));
    app.use(handle, express.json(), handle, own);
    const url = await listen(app);
    expect(await post(`${url}/own`, '{"sent":1}')).toMatchObject({ ...OWN, body: { sent: 1 } });
    expect((await post(`${url}/mail/recipients`, BODY)).status).toBe(201);
  });

  test("in a router, other requests are passed on to the application", async () => {
    const [app, router] = [express(), express.Router()];
    router.use(nodeHandler(makeApi("/mail")));
    app.use(router, own);
    const url = await listen(app);
    expect(await call(`${url}/own`)).toMatchObject(OWN);
    expect((await call(`${url}/mail/aliases`)).status).toBe(200);
  });

  test("with node:http, other requests are passed on to the given `next`", async () => {
    const handle = nodeHandler(makeApi("/mail"));
    const url = await listen((request, response) =>
      handle(request, response, () => response.end('{"application":true}')),
    );
    expect(await call(`${url}/mailbox`)).toMatchObject(OWN);
    expect((await call(`${url}/mail/aliases`)).status).toBe(200);
  });

  test("without `next`, the API responds to every path", async () => {
    const url = await listen(nodeHandler(makeApi("/mail")));
    expect(await call(`${url}/mailbox`)).toMatchObject({ status: 404, body: { code: "route_not_found" } });
  });

  test("every path is below an empty base path", async () => {
    const app = express();
    app.use(nodeHandler(makeApi()), own);
    expect(await call(`${await listen(app)}/own`)).toMatchObject({
      status: 404,
      body: { code: "route_not_found" },
    });
  });
});

test("passes the application's own request to the authorizer", async () => {
  seen.length = 0;
  const app = express();
  const own: unknown[] = [];
  app.use((request, _response, next) => {
    own.push(Object.assign(request, { user: "alice" }));
    next();
  });
  app.use("/mail", nodeHandler(makeApi("/mail")));
  await call(`${await listen(app)}/mail/aliases?limit=2`);
  expect(seen[0]?.raw).toBe(own[0]);
  expect(seen[0]).toMatchObject({ url: "/mail/aliases?limit=2", raw: { user: "alice" } });
});

test("rejects a Fastify instance that createApi did not return", () => {
  expect(() => nodeHandler(fastify())).toThrow(/what createApi returns/);
});

test("responds with 500 if the API cannot start", async () => {
  const api = makeApi();
  api.addHook("onReady", async () => {
    throw new Error("cannot start");
  });
  const url = await listen(nodeHandler(api));
  for (const _ of [1, 2])
    expect(await call(`${url}/health`)).toMatchObject({ status: 500, body: { code: "internal_error" } });
});
