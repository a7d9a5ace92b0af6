import * as z from "zod";
import { encoded, queryOf, targetPath } from "./target.ts";

type Lists = Readonly<Record<string, string[]>>;

/** A request as an event describes it. */
export type GatewayRequest = {
  readonly method: string;
  /** The path and query, encoded. */
  readonly url: string;
  /** By their names in lower case. */
  readonly headers: Lists;
  readonly body: Buffer | undefined;
  /** The client's address as the gateway has seen it; undefined if the event does not say. */
  readonly clientAddress: string | undefined;
  /** The claims that the gateway's own authorizer has verified; anything else if there are none. */
  readonly claims: unknown;
  /** Whether the headers of the response have to be lists. */
  readonly wantsLists: boolean;
};

const texts = z.record(z.string(), z.string()).nullish();
const lists = z.record(z.string(), z.array(z.string())).nullish();
const body = { body: z.string().nullish(), isBase64Encoded: z.boolean().default(false) };

/** Payload 1.0. REST APIs and load balancers write no version, and load balancers neither a stage nor an address. */
const firstPayload = z.object({
  version: z.literal("1.0").optional(),
  httpMethod: z.string(),
  path: z.string(),
  headers: texts,
  multiValueHeaders: lists,
  queryStringParameters: texts,
  multiValueQueryStringParameters: lists,
  requestContext: z.object({
    stage: z.string().optional(),
    identity: z.object({ sourceIp: z.string() }).optional(),
    authorizer: z.object({ claims: z.unknown().optional() }).nullish(),
    elb: z.unknown().optional(),
  }),
  ...body,
});

const secondPayload = z.object({
  version: z.literal("2.0"),
  rawPath: z.string(),
  rawQueryString: z.string(),
  cookies: z.array(z.string()).nullish(),
  headers: texts,
  requestContext: z.object({
    stage: z.string(),
    http: z.object({ method: z.string(), sourceIp: z.string() }),
    authorizer: z.object({ jwt: z.object({ claims: z.unknown().optional() }).nullish() }).nullish(),
  }),
  ...body,
});

const payload = z.union([secondPayload, firstPayload]);

const toLists = (values: z.output<typeof texts>): Lists =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, [value]]));

/** How the request to the gateway was framed, which says nothing about the body in the event. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);

const headersOf = (received: Lists): Lists => {
  const headers = new Map<string, string[]>();
  for (const [sent, values] of Object.entries(received)) {
    const name = sent.toLowerCase();
    if (!FRAMING.has(name)) headers.set(name, [...(headers.get(name) ?? []), ...values]);
  }
  return Object.fromEntries(headers);
};

const bodyOf = ({ body, isBase64Encoded }: z.output<typeof payload>): Buffer | undefined =>
  body ? Buffer.from(body, isBase64Encoded ? "base64" : "utf8") : undefined;

const urlOf = (path: string, query: string): string => (query === "" ? path : `${path}?${query}`);

const readFirst = (event: z.output<typeof firstPayload>, basePath: string): GatewayRequest => {
  const { version, requestContext, multiValueHeaders } = event;
  const { stage, identity, authorizer, elb } = requestContext;
  const path = targetPath(event.path, version && stage, basePath);
  // API Gateway decodes the parameters, a load balancer does not.
  const query = queryOf(
    event.multiValueQueryStringParameters ?? toLists(event.queryStringParameters),
    elb === undefined ? encoded : (sent) => sent,
  );
  return {
    method: event.httpMethod,
    url: urlOf(path, query),
    headers: headersOf(multiValueHeaders ?? toLists(event.headers)),
    body: bodyOf(event),
    clientAddress: identity?.sourceIp,
    claims: authorizer?.claims,
    wantsLists: Boolean(multiValueHeaders),
  };
};

const readSecond = (event: z.output<typeof secondPayload>, basePath: string): GatewayRequest => {
  const { cookies, requestContext } = event;
  const { stage, http, authorizer } = requestContext;
  return {
    method: http.method,
    url: urlOf(targetPath(event.rawPath, stage, basePath), event.rawQueryString),
    headers: headersOf({ ...toLists(event.headers), ...(cookies && { cookie: [cookies.join("; ")] }) }),
    body: bodyOf(event),
    clientAddress: http.sourceIp,
    claims: authorizer?.jwt?.claims,
    wantsLists: false,
  };
};

/**
 * Reads the event of a request.
 *
 * @param basePath what clients see before the paths of the API
 * @throws TypeError if it has neither of the two payload formats; the message quotes nothing of the event
 */
export const readEvent = (event: unknown, basePath: string): GatewayRequest => {
  const { data } = payload.safeParse(event);
  if (data === undefined) {
    throw new TypeError("The event is not a request of API Gateway in the payload format 1.0 or 2.0");
  }
  return data.version === "2.0" ? readSecond(data, basePath) : readFirst(data, basePath);
};
