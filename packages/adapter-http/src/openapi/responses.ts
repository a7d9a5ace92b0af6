import { isNonEmpty, type NonEmpty } from "@postern/core";
import type { ProblemCode } from "../problems/failure.ts";
import { PROBLEM_CODES, PROBLEMS } from "../problems/problem.ts";
import { problemWith } from "../problems/problem-schema.ts";
import type { RouteDescription } from "../routes/route.ts";
import { type Component, componentName, type Json, refer } from "./components.ts";
import { type NamedSchema, object, reference, type Schema } from "./schema.ts";

type Header = { readonly description: string; readonly required: boolean; readonly schema: Schema };

const HEADERS = {
  "X-Request-Id": {
    description: "The client's own, if it is 1 to 64 letters, digits, `.`, `_` or `-`; otherwise a new one",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,64}$", examples: ["order-4711"] },
  },
  "Cache-Control": {
    description: "Nothing is to be stored",
    required: true,
    schema: { type: "string", const: "no-store", examples: ["no-store"] },
  },
  "RateLimit-Policy": {
    description:
      "How many requests (`q`) are allowed in how many seconds (`w`); absent without a limit. Errors have it too, once the request is counted",
    required: false,
    schema: { type: "string", examples: ['"account";q=1200;w=60'] },
  },
  RateLimit: {
    description:
      "How many requests are left (`r`), for how many seconds (`t`); absent without a limit. Errors have it too, once the request is counted",
    required: false,
    schema: { type: "string", examples: ['"account";r=1199;t=60'] },
  },
  ETag: {
    description: "The version, in quotes, for `If-Match`",
    required: true,
    schema: { type: "string", pattern: '^"[1-9][0-9]*"$', examples: ['"3"'] },
  },
  Location: {
    description: "The path of the new resource",
    required: true,
    schema: { type: "string", examples: ["/v1/aliases/019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"] },
  },
  "Accept-Patch": {
    description: "The media types accepted in a PATCH",
    required: true,
    schema: { type: "string", examples: ["application/json, application/merge-patch+json"] },
  },
  "Retry-After": {
    description: "The number of seconds after which to try again",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 1, examples: [30] },
  },
  "WWW-Authenticate": {
    description: "How to authenticate",
    required: true,
    schema: { type: "string", const: "Bearer", examples: ["Bearer"] },
  },
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof HEADERS;

/** Of requests that cannot be read, nothing is known. */
const RAW: readonly HeaderName[] = ["Cache-Control"];
const ALL: readonly HeaderName[] = ["X-Request-Id", ...RAW];
/** Other responses to requests that were counted have these too, but to list them there would take much space. */
const COUNTED: readonly HeaderName[] = [...ALL, "RateLimit-Policy", "RateLimit"];

const headers = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, refer({ kind: "headers", name, value: HEADERS[name] })]));

/** The body of every 401: the same as that of an API gateway in front of the service, so that clients see no difference. */
const UNAUTHORIZED: NamedSchema = {
  name: "Unauthorized",
  schema: {
    ...object({ message: { type: "string", const: "Unauthorized" } }),
    description: "The token is absent, malformed or expired: sign in again",
  },
};

const component = (name: string, value: Json): Component => ({ kind: "responses", name, value });

const json = (schema: Schema): Json => ({ "application/json": { schema } });

const PAGE: Json = { "text/html": { schema: { type: "string", description: "A page for people" } } };

const unauthorized = component("Unauthorized", {
  description: UNAUTHORIZED.schema.description,
  headers: headers([...ALL, "WWW-Authenticate"]),
  content: json(reference(UNAUTHORIZED)),
});

/** A body is parsed even if the route does not use it. */
const BODY_PROBLEMS: readonly ProblemCode[] = [
  "malformed_json",
  "payload_too_large",
  "unsupported_media_type",
];

/** The problems of requests that cannot be read. */
const RAW_PROBLEMS: readonly ProblemCode[] = ["request_timeout", "headers_too_large"];

const REFUSED_ACCOUNTS: readonly ProblemCode[] = ["account_not_allowed", "account_suspended"];

const SERVER_ERRORS: readonly ProblemCode[] = ["internal_error", "misconfigured"];

/** The problems common to all routes, those common to all routes that parse a body, and the route's own. */
const problemsOf = (route: RouteDescription): ReadonlySet<ProblemCode> =>
  new Set<ProblemCode>([
    ...(route.method === "GET" ? [] : BODY_PROBLEMS),
    "invalid_request",
    ...route.problems,
    ...(route.open ? [] : REFUSED_ACCOUNTS),
    ...(route.unlimited ? [] : (["rate_limited", "unavailable"] as const)),
    ...RAW_PROBLEMS,
    ...SERVER_ERRORS,
  ]);

const problemHeaders = (route: RouteDescription, [code]: NonEmpty<ProblemCode>): readonly HeaderName[] => {
  if (RAW_PROBLEMS.includes(code)) return RAW;
  const { status } = PROBLEMS[code];
  if (status === 429) return [...COUNTED, "Retry-After"];
  if (status === 503) return [...ALL, "Retry-After"];
  return status === 415 && route.method === "PATCH" ? [...ALL, "Accept-Patch"] : ALL;
};

/** What problems that occur together are called. */
const SETS: readonly (readonly [name: string, codes: readonly ProblemCode[]])[] = [
  ["BadRequest", ["malformed_json", "invalid_request"]],
  ["Forbidden", REFUSED_ACCOUNTS],
  ["ServerError", SERVER_ERRORS],
];

/** What a response with one of these problems is called: `AliasNotFoundOrContactNotFound`. */
const nameOfProblems = (codes: readonly ProblemCode[]): string => {
  const sets = SETS.filter(([, set]) => set.every((code) => codes.includes(code)));
  const others = codes.filter((code) => sets.every(([, set]) => !set.includes(code)));
  return [...others.map(componentName), ...sets.map(([name]) => name)].join("Or");
};

const problemResponse = (route: RouteDescription, codes: NonEmpty<ProblemCode>): Component => {
  const names = problemHeaders(route, codes);
  // Only what the route itself finds wrong is shown as a page.
  const page = route.page === true && codes.every((code) => route.problems.includes(code));
  const suffix = `${names.includes("Accept-Patch") ? "InPatch" : ""}${page ? "OrPage" : ""}`;
  return component(nameOfProblems(codes) + suffix, {
    description: codes.map((code) => PROBLEMS[code].title).join("; "),
    headers: headers(names),
    content: { "application/problem+json": { schema: problemWith(codes) }, ...(page && PAGE) },
  });
};

const success = ({ success: route, page }: RouteDescription): Json => {
  const { description } = route;
  if (route.status === 204)
    return {
      ...refer(component("NoContent", { description: "It is done", headers: headers(COUNTED) })),
      description,
    };
  const { name, schema, headers: own = [] } = route;
  const named = { name, schema: schema.description === undefined ? { ...schema, description } : schema };
  return {
    ...refer(
      component(name + (own.includes("Location") ? "WithLocation" : ""), {
        description: named.schema.description,
        headers: headers([...COUNTED, ...own]),
        content: { ...json(reference(named)), ...(page && PAGE) },
      }),
    ),
    description,
  };
};

/** The responses of a route, by status. */
export const responses = (route: RouteDescription): Json => {
  const problems = problemsOf(route);
  // In one order, so that routes with the same problems share their responses.
  const sorted = PROBLEM_CODES.filter((code) => problems.has(code));
  const byStatus = Map.groupBy(sorted, (code) => PROBLEMS[code].status);
  return {
    [route.success.status]: success(route),
    ...(!route.open && { 401: refer(unauthorized) }),
    ...Object.fromEntries(
      [...byStatus].flatMap(([status, codes]) =>
        isNonEmpty(codes) ? [[status, refer(problemResponse(route, codes))]] : [],
      ),
    ),
  };
};
