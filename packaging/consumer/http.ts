/* The HTTP API as a standalone server, and mounted in applications. */
import { deepStrictEqual } from "node:assert/strict";
import { createServer } from "node:http";
import {
  type ApiOptions,
  type Authorizer,
  apiPlugin,
  createApi,
  fetchHandler,
  nodeHandler,
} from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { parseAccountId, postern } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { fastify } from "fastify";

const authorizer: Authorizer = {
  authorize: async () => parseAccountId("tenant-1").mapErr(() => ({ code: "unauthorized" })),
};
const options: ApiOptions = {
  postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() }),
  authorizer,
};

const summary = ({ status, headers }: Response) => [status, headers.get("content-type")?.split(";")[0]];

const api = createApi(options);
const url = await api.listen({ host: "127.0.0.1", port: 0 });
deepStrictEqual(summary(await fetch(`${url}/health`)), [200, "application/json"]);
// Versions of Fastify older than the peer dependency allows respond to this themselves, without any of our headers.
deepStrictEqual(summary(await fetch(`${url}/aliases/%ZZ`, { method: "OPTIONS" })), [
  400,
  "application/problem+json",
]);
await api.close();

const mounted = createApi({ ...options, basePath: "/mail" });
const handled = await fetchHandler(mounted)(new Request("http://localhost/mail/aliases"));
deepStrictEqual(summary(handled), [200, "application/json"]);
createServer(nodeHandler(mounted));
await mounted.close();

const application = fastify();
await application.register(apiPlugin(options), { prefix: "/mail" });
deepStrictEqual((await application.inject("/mail/aliases")).statusCode, 200);
await application.close();
