import type { AnyPostern } from "@postern/core";
import type { RouteDescription } from "../routes/route.ts";
import { ROUTES, routesOf } from "../routes/routes.ts";
import { type Components, type Json, withComponents } from "./components.ts";
import { operation } from "./operation.ts";
import { TAGS } from "./tags.ts";
import { WEBHOOKS } from "./webhooks.ts";

export type OpenApiDocument = {
  readonly openapi: "3.1.0";
  readonly info: Json;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } };
  /** What the API itself sends, by name. */
  readonly webhooks: Json;
  readonly components: Components & Json;
};

/**
 * The OpenAPI 3.1 document of the API, made from the definitions of the routes. `docs/openapi.json` contains it.
 *
 * @param postern a service that lacks some operations, whose routes are left out; by default, all routes are in the document
 * @param basePath the path that the API is mounted at, such as `/mail`; empty by default
 *
 * @example
 * ```ts
 * writeFileSync("openapi.json", JSON.stringify(openApiDocument(), null, 2));
 * ```
 */
export const openApiDocument = (postern?: AnyPostern, basePath = ""): OpenApiDocument => {
  const served: readonly RouteDescription[] = postern === undefined ? ROUTES : routesOf(postern);
  const sendsEvents = served.some(({ operationId }) => operationId === "createWebhook");
  const byPath = Map.groupBy(served, ({ path }) => path);
  const used = new Set(served.map(({ tag }) => tag));
  const { paths, webhooks, components } = withComponents({
    paths: Object.fromEntries(
      [...byPath].map(([path, routes]) => [
        path,
        Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operation(route)])),
      ]),
    ),
    webhooks: sendsEvents ? WEBHOOKS : {},
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "Postern",
      version: "1",
      description: "Email-alias forwarding. Everything is also reachable without the prefix /v1.",
      contact: { name: "The Postern authors", url: "https://github.com/postern/postern/issues" },
      license: { name: "MIT", identifier: "MIT" },
    },
    // Without the prefix, it would be `/`: joined with a path, that is another host.
    servers: [{ url: `${basePath}/v1` }],
    security: [{ idToken: [] }],
    tags: Object.entries(TAGS)
      .filter(([name]) => [...used].some((tag) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      ...components,
      securitySchemes: {
        idToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "An ID token of the configured identity provider. Access tokens are refused.",
        },
      },
    },
  };
};
