import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { tokenAccess } from "../access/token-access.ts";
import { checkOptions } from "../check-options.ts";
import { type ApiOptions, registerApi } from "../register-api.ts";
import { parseBasePath } from "./base-path.ts";

/** The handler of the catch-all routes. Never runs, because the `onRequest` hook responds first. */
const unreachable = async (): Promise<never> => {
  throw new Error("The onRequest hook responds to every request without a route");
};

/**
 * Gives unknown paths and methods below the prefix the API's 404 and 405. The routes take precedence over a catch-all of
 * the application; the handler covers methods that Fastify does not route.
 */
const claimUnknownPaths = (instance: FastifyInstance): void => {
  for (const url of ["/", "/*"]) instance.all(url, { exposeHeadRoute: false }, unreachable);
  instance.setNotFoundHandler(unreachable);
};

/**
 * The API as a plugin for a Fastify application, to be registered under a prefix. The application's hooks also run for
 * requests to the API. Its routes, decorators, body parsers, error handler and not-found handler are unaffected.
 *
 * @throws TypeError, when it is registered, unless the prefix is a path such as `/mail` and the options are valid
 * @example
 * ```ts
 * await app.register(apiPlugin({ postern: postern(ports), authorizer }), { prefix: "/mail" });
 * ```
 */
export const apiPlugin =
  (options: ApiOptions): FastifyPluginAsync =>
  async (instance) => {
    // Fastify itself ignores a trailing slash.
    const path = parseBasePath(instance.prefix.replace(/\/$/, ""));
    if (path === "") {
      throw new TypeError(
        'Register the API under a prefix, such as { prefix: "/mail" }: without one it would respond to the application\'s own unknown paths',
      );
    }
    checkOptions(options);
    const access = tokenAccess(options, { path, home: false });
    registerApi(instance, options, access, { path, routePrefix: "", hosted: true });
    claimUnknownPaths(instance);
  };
