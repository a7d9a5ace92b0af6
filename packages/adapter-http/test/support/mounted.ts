import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { memoryStore } from "@postern/adapter-memory";
import { err, ok, parseAccountId, postern, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import {
  type ApiOptions,
  type AuthorizationRequest,
  type Authorizer,
  apiPlugin,
  createApi,
  fetchHandler,
  nodeHandler,
} from "../../src/index.ts";
import { documented } from "./documented.ts";
import { recordingLog } from "./log.ts";
import { worldPorts } from "./world.ts";

/** The path at which every application here mounts the API. */
export const BASE = "/mail";

/** Accepts sessions of the application, such as `X-Session: alice`. */
const sessionAuthorizer = (seen: AuthorizationRequest[]): Authorizer => ({
  authorize: async (request) => {
    seen.push(request);
    const session = request.headers["x-session"];
    return parseAccountId(session).match(
      (account) => ok(account),
      () => err({ code: "unauthorized" }),
    );
  },
});

export type Mount = (options: ApiOptions) => Promise<{ readonly url: string; close(): Promise<void> }>;

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const closeAll = async (server: Server, api: { close(): Promise<unknown> }): Promise<void> => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.close();
};

/* Each application has its own route, `/own`, and its own 404. */

const inFastify: Mount = async (options) => {
  const app = fastify();
  app.get("/own", async () => ({ application: "fastify" }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ application: "fastify" }));
  app.register(apiPlugin(options), { prefix: BASE });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url, close: async () => void (await app.close()) };
};

const inNode: Mount = async (options) => {
  const api = documented(createApi({ ...options, basePath: BASE }), BASE);
  const handle = nodeHandler(api);
  const server = createServer((request, response) =>
    handle(request, response, () => {
      response.writeHead(request.url === "/own" ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify({ application: "node" }));
    }),
  );
  return { url: await listen(server), close: () => closeAll(server, api) };
};

const inExpress: Mount = async (options) => {
  const api = documented(createApi({ ...options, basePath: BASE }), BASE);
  const app = express();
  app.use(BASE, nodeHandler(api));
  app.use(express.json());
  app.get("/own", (_request, response) => void response.json({ application: "express" }));
  app.use((_request, response) => void response.status(404).json({ application: "express" }));
  const server = createServer(app);
  return { url: await listen(server), close: () => closeAll(server, api) };
};

const inExpressRouter: Mount = async (options) => {
  const api = documented(createApi({ ...options, basePath: BASE }), BASE);
  const [app, router] = [express(), express.Router()];
  router.use(`${BASE}/`, nodeHandler(api));
  app.get("/own", (_request, response) => void response.json({ application: "express" }));
  app.use("/", router);
  app.use((_request, response) => void response.status(404).json({ application: "express" }));
  const server = createServer(app);
  return { url: await listen(server), close: () => closeAll(server, api) };
};

const inHono: Mount = async (options) => {
  const api = documented(createApi({ ...options, basePath: BASE }), BASE);
  const handle = fetchHandler(api);
  const app = new Hono();
  app.get("/own", (context) => context.json({ application: "hono" }));
  app.all(`${BASE}/*`, (context) => handle(context.req.raw));
  app.notFound((context) => context.json({ application: "hono" }, 404));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: async () => {
          await new Promise((closed) => server.close(closed));
          await api.close();
        },
      }),
    );
  });
};

/** Every kind of application that the API can be mounted in. */
export const MOUNTS: Readonly<Record<string, Mount>> = {
  "a Fastify application": inFastify,
  "node:http": inNode,
  Express: inExpress,
  "a router of Express": inExpressRouter,
  Hono: inHono,
};

type Call = { readonly as?: string | null; readonly headers?: object; readonly body?: unknown };

/** An application with the API mounted in it. */
export type Mounted = {
  readonly url: string;
  close(): Promise<void>;
  /** Calls the application, with a session of alice by default. */
  call(
    method: string,
    path: string,
    request?: Call,
  ): Promise<{ status: number; headers: Headers; body: ReturnType<typeof JSON.parse> }>;
  /** The ids of verified recipients. */
  recipients(...names: string[]): Promise<string[]>;
  /** The tokens of all links made, oldest first. */
  readonly links: readonly string[];
  /** What the authorizer was given. */
  readonly seen: readonly AuthorizationRequest[];
  /** What the API logged. */
  readonly lines: readonly unknown[];
};

export const openMounted = async (
  mount: Mount,
  { store = memoryStore() }: { store?: Store } = {},
): Promise<Mounted> => {
  const { ports, links } = worldPorts();
  const service = postern({ store, aliasDomains: ["alias.example"], ...ports });
  const seen: AuthorizationRequest[] = [];
  const { log, lines } = recordingLog();
  const { url, close } = await mount({ postern: service, authorizer: sessionAuthorizer(seen), logger: log });

  const call: Mounted["call"] = async (method, path, { as = "alice", headers = {}, body } = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(as !== null && { "x-session": as }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get("content-type") ?? "") && text !== "";
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };

  const recipients = (...names: string[]): Promise<string[]> =>
    Promise.all(
      names.map(async (name) => {
        const email = `${name}@mail.example`;
        return valueOf(await service.adoptRecipient({ account: "alice", email })).id;
      }),
    );

  return { url, close, call, recipients, links, seen, lines };
};
