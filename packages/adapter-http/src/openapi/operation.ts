import type { ProblemCode } from "../problems/failure.ts";
import { PROBLEM, PROBLEMS } from "../problems/problem.ts";
import type { RouteDescription } from "../routes/route.ts";
import { PATCH_TYPES } from "../syntax/media-types.ts";
import { type NamedSchema, object, reference } from "./schema.ts";

export type Json = { readonly [key: string]: unknown };

const HEADERS = {
  ETag: "The version, in quotes, for If-Match",
  Location: "The path of the new resource",
  "Accept-Patch": "The media types accepted in a PATCH",
  "Retry-After": "The number of seconds after which to try again",
  "WWW-Authenticate": "Always `Bearer`",
};

/** The body of every 401: the same as that of an API gateway in front of the service, so that clients see no difference. */
export const UNAUTHORIZED: NamedSchema = {
  name: "Unauthorized",
  schema: object({ message: { type: "string", const: "Unauthorized" } }),
};

const headers = (names: readonly (keyof typeof HEADERS)[] = []): Json =>
  names.length === 0
    ? {}
    : {
        headers: Object.fromEntries(
          names.map((name) => [name, { description: HEADERS[name], schema: { type: "string" } }]),
        ),
      };

/** A body is parsed even if the route does not use it. */
const BODY_PROBLEMS: readonly ProblemCode[] = [
  "malformed_json",
  "payload_too_large",
  "unsupported_media_type",
];

/** The problems common to all routes, those common to all routes that parse a body, and the route's own. */
const problemsOf = (route: RouteDescription): ReadonlySet<ProblemCode> => {
  const problems = new Set<ProblemCode>([...route.problems, "internal_error"]);
  if (!route.open) problems.add("account_not_allowed").add("account_suspended");
  if (!route.unlimited) problems.add("rate_limited").add("unavailable");
  if (Object.keys(route.input).length > 0) problems.add("invalid_request");
  return route.method === "GET" ? problems : problems.union(new Set(BODY_PROBLEMS));
};

const page = (route: RouteDescription): Json =>
  route.page ? { "text/html": { schema: { type: "string" } } } : {};

const problemHeaders = (route: RouteDescription, status: number): readonly (keyof typeof HEADERS)[] => {
  if (status === 429 || status === 503) return ["Retry-After"];
  return status === 415 && route.method === "PATCH" ? ["Accept-Patch"] : [];
};

const problemResponse = (route: RouteDescription, status: number, codes: readonly ProblemCode[]): Json => ({
  description: codes.map((code) => PROBLEMS[code].title).join("; "),
  ...headers(problemHeaders(route, status)),
  content: {
    "application/problem+json": {
      schema: {
        allOf: [
          reference(PROBLEM),
          { type: "object", properties: { status: { const: status }, code: { enum: codes } } },
        ],
      },
    },
    ...page(route),
  },
});

const problemResponses = (route: RouteDescription): Json => {
  const byStatus = Map.groupBy(problemsOf(route), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, problemResponse(route, status, codes)]),
  );
};

const unauthorized: Json = {
  description: "The token is absent, malformed or expired: sign in again",
  ...headers(["WWW-Authenticate"]),
  content: { "application/json": { schema: reference(UNAUTHORIZED) } },
};

const parameters = ({ input }: RouteDescription): readonly Json[] =>
  Object.values(input)
    .filter(({ from }) => from !== "body")
    .map(({ from, name, required, schema: { description, ...schema } }) => ({
      name,
      in: from,
      required,
      ...(description !== undefined && { description }),
      schema,
    }));

/** The schema of a route's body; null if it reads none. */
export const bodySchema = ({ bodyName, input }: RouteDescription): NamedSchema | null => {
  if (bodyName === undefined) return null;
  const members = Object.values(input).filter(({ from }) => from === "body");
  return {
    name: bodyName,
    schema: object(Object.fromEntries(members.map(({ name, schema }) => [name, schema])), {
      optional: members.filter(({ required }) => !required).map(({ name }) => name),
    }),
  };
};

const requestBody = (route: RouteDescription): Json => {
  const schema = bodySchema(route);
  if (schema === null) return {};
  const types = route.method === "PATCH" ? PATCH_TYPES : ["application/json"];
  return {
    requestBody: {
      required: route.bodyIsOptional !== true,
      content: Object.fromEntries(types.map((type) => [type, { schema: reference(schema) }])),
    },
  };
};

const successResponse = (route: RouteDescription): Json => {
  const { success } = route;
  if (success.status === 204) return { description: success.description };
  return {
    description: success.description,
    ...headers(success.headers),
    content: { "application/json": { schema: reference(success) }, ...page(route) },
  };
};

/** What the OpenAPI document says about a route. */
export const operation = (route: RouteDescription): Json => ({
  operationId: route.operationId,
  summary: route.summary,
  ...(route.description !== undefined && { description: route.description }),
  ...(route.open && { security: [] }),
  parameters: parameters(route),
  ...requestBody(route),
  responses: {
    [route.success.status]: successResponse(route),
    ...(!route.open && { 401: unauthorized }),
    ...problemResponses(route),
  },
});
