import { z } from "zod";
import type { ProblemCode } from "../problems/failure.ts";
import { PROBLEMS } from "../problems/problem.ts";
import { PATCH_TYPES } from "../requests/json-body.ts";
import type { Route } from "../routes/route.ts";

export type Json = { readonly [key: string]: unknown };

const HEADERS = {
  ETag: "The alias's version, in quotes, for If-Match",
  Location: "The path of what was created",
  "Accept-Patch": "The media types that a PATCH is taken in",
  "Retry-After": "Seconds after which to try again",
  "WWW-Authenticate": "Always `Bearer`",
};

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema, $id, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
};

const headers = (names: readonly (keyof typeof HEADERS)[] = []): Json =>
  names.length === 0
    ? {}
    : {
        headers: Object.fromEntries(
          names.map((name) => [name, { description: HEADERS[name], schema: { type: "string" } }]),
        ),
      };

/** A body is read before anybody asks whether the route wants one. */
const UNREADABLE: readonly ProblemCode[] = ["malformed_json", "payload_too_large", "unsupported_media_type"];

/** What any route answers, what any that reads a body does, and what each says of itself. */
const problemsOf = (route: Route): ReadonlySet<ProblemCode> => {
  const problems = new Set<ProblemCode>([...route.problems, "rate_limited", "internal_error"]);
  if (!route.open) problems.add("unavailable");
  if (route.body !== undefined) problems.add("invalid_request");
  return route.method === "GET" ? problems : problems.union(new Set(UNREADABLE));
};

const page = (route: Route): Json => (route.page ? { "text/html": { schema: { type: "string" } } } : {});

const problemHeaders = (route: Route, status: number): readonly (keyof typeof HEADERS)[] => {
  if (status === 429 || status === 503) return ["Retry-After"];
  return status === 415 && route.method === "PATCH" ? ["Accept-Patch"] : [];
};

const problemResponse = (route: Route, status: number, codes: readonly ProblemCode[]): Json => ({
  description: codes.map((code) => PROBLEMS[code].title).join("; "),
  ...headers(problemHeaders(route, status)),
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
  const byStatus = Map.groupBy(problemsOf(route), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, problemResponse(route, status, codes)]),
  );
};

const unauthorized: Json = {
  description: "The token is absent, malformed or expired: sign in again",
  ...headers(["WWW-Authenticate"]),
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

const requestBody = ({ method }: Route, { name, optional }: NonNullable<Route["body"]>): Json => {
  const types = method === "PATCH" ? PATCH_TYPES : ["application/json"];
  return {
    required: optional !== true,
    content: Object.fromEntries(types.map((type) => [type, { schema: reference(name) }])),
  };
};

const successResponse = (route: Route): Json => {
  const { success } = route;
  if (success.status === 204) return { description: success.description };
  return {
    description: success.description,
    ...headers(success.headers),
    content: { "application/json": { schema: reference(success.name) }, ...page(route) },
  };
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
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body) }),
    responses: {
      [success.status]: successResponse(route),
      ...(route.open ? {} : { 401: unauthorized }),
      ...problemResponses(route),
    },
  };
};
