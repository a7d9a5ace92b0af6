import type { FastifyInstance } from "fastify";
import { tokenAccess } from "./access/token-access.ts";
import { checkOptions } from "./check-options.ts";
import { parseBasePath } from "./mounts/base-path.ts";
import type { ApiOptions } from "./register-api.ts";
import { standalone } from "./standalone.ts";

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
  home = false,
  ...options
}: ApiOptions & {
  readonly basePath?: string | undefined;
  readonly trustedProxies?: readonly string[] | undefined;
  readonly home?: boolean | undefined;
}): FastifyInstance => {
  const path = parseBasePath(basePath);
  checkOptions(options);
  return standalone(options, tokenAccess(options, { path, home }), path);
};
