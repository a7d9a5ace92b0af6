import { err } from "@postern/core";
import { type FastifyInstance, fastify } from "fastify";
import { handleExpectAndConnect } from "./connection/expect-and-connect.ts";
import { httpServer } from "./connection/http-server.ts";
import { respondToParseFailure } from "./connection/parse-failure.ts";
import { parseBasePath } from "./mounts/base-path.ts";
import { invalidField } from "./problems/invalid-field.ts";
import { type ApiOptions, registerApi } from "./register-api.ts";
import { POSTERN } from "./request-state.ts";
import { requestId } from "./requests/request-id.ts";
import { send } from "./responses/send.ts";

const UNDECODABLE_PATH = invalidField({ parameter: "path" }, "must be percent-encoded UTF-8");

/**
 * The HTTP API as a standalone server that is not listening yet.
 *
 * @param options.basePath the prefix of all paths, such as `/mail`; empty by default
 * @param options.trustedProxies addresses or networks (CIDR) of proxies whose `X-Forwarded-For` is trusted for the client's
 *   address; none by default
 * @param options.home whether `GET /` says what this is, to a browser with a page; by default, it is like any unknown path
 * @throws TypeError if `basePath` is neither empty nor a path such as `/mail`, or if another option is invalid: an origin
 *   that is not one, a limit that is not a whole number, an authorizer without `authorize`
 * @example
 * ```ts
 * const api = createApi({ postern: postern(ports), authorizer: idTokenAuthorizer({ issuer, audience }) });
 * await api.listen({ port: 8080 });
 * ```
 */
export const createApi = ({
  basePath = "",
  trustedProxies = [],
  home = false,
  ...options
}: ApiOptions & {
  readonly basePath?: string | undefined;
  readonly trustedProxies?: readonly string[] | undefined;
  readonly home?: boolean | undefined;
}): FastifyInstance => {
  const path = parseBasePath(basePath);
  // Fastify's own log lines are off: they contain URLs, and so verification tokens.
  const api = fastify({
    serverFactory: httpServer,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: requestId,
    // During shutdown, requests on open connections are still served.
    return503OnClosing: false,
    // The operations validate ids. No path is longer than this: Node limits the request line and headers to 16 KiB.
    routerOptions: { maxParamLength: 16 * 1024 },
    clientErrorHandler: respondToParseFailure,
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
  handleExpectAndConnect(api, options.authorizer, options.logger);
  const admit = registerApi(api, options, { path, routePrefix: path, home, hosted: false });
  return api;
};
