import type { AnyPostern } from "@postern/core";
import { PROBLEM } from "../problems/problem.ts";
import type { RouteDescription } from "../routes/route.ts";
import { PREFIXES, ROUTES, routesOf } from "../routes/routes.ts";
import { bodySchema, type Json, operation, UNAUTHORIZED } from "./operation.ts";
import { WEBHOOK_BODIES, webhooks } from "./webhooks.ts";

export type OpenApiDocument = {
  readonly openapi: "3.1.0";
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly security: readonly Json[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } };
  /** What the API itself sends, by name. */
  readonly webhooks: Json;
  readonly components: { readonly schemas: Json } & Json;
};

const componentSchemas = (routes: readonly RouteDescription[], sendsEvents: boolean): Json => {
  const bodies = routes.map(bodySchema).filter((body) => body !== null);
  const responses = routes.map(({ success }) => success).filter((success) => success.status !== 204);
  const named = [...bodies, ...responses, ...(sendsEvents ? WEBHOOK_BODIES : []), PROBLEM, UNAUTHORIZED];
  return Object.fromEntries(named.map(({ name, schema }) => [name, schema]));
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
  return {
    openapi: "3.1.0",
    info: {
      title: "Postern",
      version: "1",
      description: "Email-alias forwarding. Everything is reachable with and without the /v1 prefix.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: PREFIXES.map((prefix) => ({ url: basePath + prefix || "/" })),
    security: [{ idToken: [] }],
    paths: Object.fromEntries(
      [...byPath].map(([path, routes]) => [
        path,
        Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operation(route)])),
      ]),
    ),
    webhooks: sendsEvents ? webhooks() : {},
    components: {
      schemas: componentSchemas(served, sendsEvents),
      securitySchemes: {
        idToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "An ID token from the deployment's user pool. Access tokens are refused.",
        },
      },
    },
  };
};
