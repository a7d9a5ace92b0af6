import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { type ApiOptions, registerApi } from "../register-api.ts";
import { parseBasePath } from "./base-path.ts";

/** Stands behind routes for which admission responds. */
const unreachable = async (): Promise<never> => {
  throw new Error("Admission responds to every request without a route");
};

/**
 * Below the prefix, whatever is not a route of the API is its own 404 or 405. The routes come before a catch-all of the
 * application; the handler is for methods that Fastify does not route.
 */
const claimUnknownPaths = (instance: FastifyInstance): void => {
  for (const url of ["/", "/*"]) instance.all(url, { exposeHeadRoute: false }, unreachable);
  instance.setNotFoundHandler(unreachable);
};

/**
 * The API as a plugin for a Fastify application, to be registered under a prefix. The application's own hooks run for its
 * requests too; the application's routes, decorators, parsers of bodies and handlers of errors and of unknown paths stay as
 * they are.
 *
 * @throws TypeError, when it is registered, unless the prefix is a path such as `/mail`
 * @example
 * ```ts
 * await app.register(apiPlugin({ postern: postern(ports), authorizer }), { prefix: "/mail" });
 * ```
 */
export const apiPlugin =
  (options: ApiOptions): FastifyPluginAsync =>
  async (instance) => {
    // Fastify itself ignores a slash at the end.
    const path = parseBasePath(instance.prefix.replace(/\/$/, ""));
    if (path === "") {
      throw new TypeError(
        'Register the API under a prefix, such as { prefix: "/mail" }: without one it would respond to the application\'s own unknown paths',
      );
    }
    registerApi(instance, options, { path, routePrefix: "", hosted: true });
    claimUnknownPaths(instance);
  };
