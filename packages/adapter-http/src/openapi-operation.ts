import { z } from "zod";
import type { ProblemCode } from "./failure.ts";
import { PROBLEMS } from "./problem.ts";
import type { Route } from "./route.ts";

export type Json = { readonly [key: string]: unknown };

const HEADERS = {
  ETag: "The alias's version, in quotes, for If-Match",
  Location: "The path of what was created",
  "Retry-After": "Seconds after which to try again",
  "WWW-Authenticate": "Always `Bearer`",
};

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema, $id, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
};

const headers = (names: readonly (keyof typeof HEADERS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { description: HEADERS[name], schema: { type: "string" } }]));

/** What any route answers, what any with a body does, and what each says of itself. */
const problemsOf = (route: Route): readonly ProblemCode[] => {
  const own: readonly ProblemCode[] = [...route.problems, "internal_error"];
  const withToken: readonly ProblemCode[] = route.open ? own : [...own, "unavailable"];
  return route.body === undefined
    ? withToken
    : [...withToken, "malformed_json", "invalid_request", "payload_too_large", "unsupported_media_type"];
};

const page = (route: Route): Json => (route.page ? { "text/html": { schema: { type: "string" } } } : {});

const problemResponse = (route: Route, status: number, codes: readonly ProblemCode[]): Json => ({
  description: codes.map((code) => PROBLEMS[code].title).join("; "),
  ...(status === 503 ? { headers: headers(["Retry-After"]) } : {}),
  content: {
    "application/problem+json": {
      schema: {
        allOf: [
          reference("Problem"),
          { type: "object", properties: { status: { const: status }, code: { enum: codes } } },
        ],
      },
    },
    ...page(route),
  },
});

const problemResponses = (route: Route): Json => {
  const byStatus = Map.groupBy(new Set(problemsOf(route)), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, problemResponse(route, status, codes)]),
  );
};

const unauthorized: Json = {
  description: "The token is absent, malformed or expired: sign in again",
  headers: headers(["WWW-Authenticate"]),
  content: { "application/json": { schema: reference("Unauthorized") } },
};

const parameters = (schema: z.ZodObject | undefined, place: "path" | "query"): readonly Json[] => {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...fieldSchema } = jsonSchema(field);
    const required = !z.object({ [name]: field }).safeParse({}).success;
    return {
      name,
      in: place,
      required,
      ...(description === undefined ? {} : { description }),
      schema: fieldSchema,
    };
  });
};

const IF_MATCH: Json = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "Versions at which the write may go ahead; `*` for any",
  schema: { type: "string" },
  example: '"3"',
};

/** What the OpenAPI document says of a route. */
export const operation = (route: Route): Json => {
  const { success } = route;
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.open ? { security: [] } : {}),
    parameters: [
      ...parameters(route.pathParameters, "path"),
      ...parameters(route.query, "query"),
      ...(route.ifMatch ? [IF_MATCH] : []),
    ],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: reference(route.body.name) } },
          },
        }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.headers === undefined ? {} : { headers: headers(success.headers) }),
        content: { "application/json": { schema: reference(success.name) }, ...page(route) },
      },
      ...(route.open ? {} : { 401: unauthorized }),
      ...problemResponses(route),
    },
  };
};
