import type { IncomingMessage } from "node:http";
import { err } from "@postern/core";
import { type FastifyInstance, fastify } from "fastify";
import type { Access } from "./access/access.ts";
import { handleExpectAndConnect } from "./connection/expect-and-connect.ts";
import { httpServer } from "./connection/http-server.ts";
import { parseFailureResponder } from "./connection/parse-failure.ts";
import { invalidField } from "./problems/invalid-field.ts";
import { type CommonOptions, registerApi } from "./register-api.ts";
import { POSTERN } from "./request-state.ts";
import { requestId } from "./requests/request-id.ts";
import { send } from "./responses/send.ts";

const UNDECODABLE_PATH = invalidField({ parameter: "path" }, "must be percent-encoded UTF-8");

/**
 * An API as a server that is not listening yet.
 *
 * @param path the prefix of all paths
 * @param rewriteUrl what to look for instead of the path and query that were requested
 */
export const standalone = (
  {
    trustedProxies = [],
    ...options
  }: CommonOptions & { readonly trustedProxies?: readonly string[] | undefined },
  access: Access,
  path: string,
  rewriteUrl?: (url: string) => string,
): FastifyInstance => {
  // Fastify's own log lines are off: they contain URLs, and so verification tokens.
  const api = fastify({
    serverFactory: httpServer,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: requestId,
    ...(rewriteUrl !== undefined && { rewriteUrl: ({ url = "" }: IncomingMessage) => rewriteUrl(url) }),
    // During shutdown, requests on open connections are still served.
    return503OnClosing: false,
    // The operations validate ids. No path is longer than this: Node limits the request line and headers to 16 KiB.
    routerOptions: { maxParamLength: 16 * 1024 },
    clientErrorHandler: parseFailureResponder(access.writeFailure),
    // Paths that cannot be decoded reach this handler instead of the hooks.
    frameworkErrors: (_error, request, reply) => {
      admit(request, reply, (refusal) => send(reply, refusal ?? err(UNDECODABLE_PATH)));
    },
  });
  api.decorate(POSTERN, { basePath: path });
  // Fastify closes a custom server only if it listens. Otherwise Node's timer for slow requests would keep running.
  api.addHook("preClose", async () => {
    if (!api.server.listening) api.server.close();
  });
  handleExpectAndConnect(api, access, options.logger);
  const admit = registerApi(api, options, access, { path, routePrefix: path, hosted: false });
  return api;
};
