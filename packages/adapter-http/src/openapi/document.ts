import { z } from "zod";
import { Problem } from "../problems/problem.ts";
import type { Named } from "../routes/route.ts";
import { ROUTES } from "../routes/routes.ts";
import { type Json, operation } from "./operation.ts";

export type OpenApiDocument = {
  readonly openapi: "3.1.0";
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly security: readonly Json[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } };
  readonly components: { readonly schemas: Json } & Json;
};

const Unauthorized = z.strictObject({ message: z.literal("Unauthorized") });

const componentSchemas = (): Json => {
  const registry = z.registry<{ id: string }>();
  const named: readonly Named[] = [
    ...ROUTES.map(({ body }) => body).filter((body) => body !== undefined),
    ...ROUTES.map(({ success }) => success).filter((success) => success.status !== 204),
    { name: "Problem", schema: Problem },
    { name: "Unauthorized", schema: Unauthorized },
  ];
  for (const { name, schema } of named) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]),
  );
};

/** The OpenAPI 3.1 document of the API, made of the schemas that validate; `docs/openapi.json` holds it. */
export const openApiDocument = (): OpenApiDocument => {
  const byPath = Map.groupBy(ROUTES, ({ path }) => path);
  return {
    openapi: "3.1.0",
    info: {
      title: "Postern",
      version: "1",
      description: "Email-alias forwarding. Everything is reachable with and without the /v1 prefix.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }, { url: "/v1" }],
    security: [{ idToken: [] }],
    paths: Object.fromEntries(
      [...byPath].map(([path, routes]) => [
        path,
        Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operation(route)])),
      ]),
    ),
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        idToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "An ID token of the deployment's user pool. Access tokens are refused.",
        },
      },
    },
  };
};
