import type { WireRequest } from "./wire-request.ts";

/* The events that API Gateway makes of requests, as far as its documentation and real events show. */

const CLIENT = "192.0.2.1";

type Claims = Readonly<Record<string, unknown>> | null;

/** The values of each name, in order. */
export const grouped = (pairs: Iterable<readonly [string, string]>): Record<string, string[]> => {
  const lists = new Map<string, string[]>();
  for (const [name, value] of pairs) lists.set(name, [...(lists.get(name) ?? []), value]);
  return Object.fromEntries(lists);
};

const lastOf = (lists: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? ""]));

const bodyOf = (body: Buffer | null, inBase64: boolean) => {
  if (body === null) return { body: null, isBase64Encoded: false };
  const isText = body.equals(Buffer.from(body.toString()));
  const isBase64Encoded = inBase64 || !isText;
  return { body: body.toString(isBase64Encoded ? "base64" : "utf8"), isBase64Encoded };
};

/** The claims as text, and the times as a REST API or an HTTP API writes them. */
const passedClaims = (claims: NonNullable<Claims>, writeTime: (seconds: number) => string) =>
  Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      (name === "exp" || name === "iat") && typeof value === "number" ? writeTime(value) : String(value),
    ]),
  );

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** As Java's `Date.toString` does in UTC. */
const javaText = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  const [day, month] = [DAYS[date.getUTCDay()], MONTHS[date.getUTCMonth()]];
  const [dd, time] = [date.toISOString().slice(8, 10), date.toISOString().slice(11, 19)];
  return `${day} ${month} ${dd} ${time} UTC ${date.getUTCFullYear()}`;
};

const first = ({ method, query, headers }: WireRequest, path: string) => {
  const multiValueHeaders = grouped(headers);
  const parameters = query === "" ? null : grouped(new URLSearchParams(query));
  return {
    resource: "/{proxy+}",
    path,
    httpMethod: method,
    headers: lastOf(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: parameters && lastOf(parameters),
    multiValueQueryStringParameters: parameters,
  };
};

/** What to put into an event besides the request. */
type Passed = { readonly claims?: Claims; readonly inBase64?: boolean; readonly stage?: string };

type Gateway = (request: WireRequest, passed?: Passed) => { readonly requestContext: object };

/** A REST API with a Cognito authorizer. */
export const restApi: Gateway = (request, { claims = null, inBase64 = false, stage = "prod" } = {}) => ({
  ...first(request, request.path),
  requestContext: {
    stage,
    path: `/${stage}${request.path}`,
    identity: { sourceIp: CLIENT },
    ...(claims && { authorizer: { claims: passedClaims(claims, javaText) } }),
  },
  ...bodyOf(request.body, inBase64),
});

/** An HTTP API decodes the path. */
const httpPath = (path: string, stage: string): string =>
  (stage === "$default" ? "" : `/${stage}`) + decodeURIComponent(path);

/** An HTTP API with a JWT authorizer, and the payload format 1.0. */
export const httpApi1: Gateway = (request, { claims = null, inBase64 = false, stage = "$default" } = {}) => ({
  version: "1.0",
  ...first(request, httpPath(request.path, stage)),
  requestContext: {
    stage,
    identity: { sourceIp: CLIENT },
    authorizer: { claims: claims && passedClaims(claims, String), scopes: null },
  },
  ...bodyOf(request.body, inBase64),
});

/** An HTTP API with a JWT authorizer, and the payload format 2.0. */
export const httpApi2: Gateway = (request, { claims = null, inBase64 = false, stage = "$default" } = {}) => {
  const { method, path, query, headers, body } = request;
  const lists = grouped(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const { cookie: cookies, ...others } = lists;
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: httpPath(path, stage),
    rawQueryString: query,
    ...(cookies && { cookies }),
    headers: Object.fromEntries(Object.entries(others).map(([name, values]) => [name, values.join(",")])),
    requestContext: {
      stage,
      http: { method, path: httpPath(path, stage), protocol: "HTTP/1.1", sourceIp: CLIENT },
      ...(claims && { authorizer: { jwt: { claims: passedClaims(claims, String), scopes: null } } }),
    },
    ...(body !== null && bodyOf(body, inBase64)),
    isBase64Encoded: body !== null && bodyOf(body, inBase64).isBase64Encoded,
  };
};

/** Every kind of API whose authorizer passes claims on. */
export const GATEWAYS: Readonly<Record<string, Gateway>> = {
  "a REST API": restApi,
  "an HTTP API, payload 1.0": httpApi1,
  "an HTTP API, payload 2.0": httpApi2,
};
