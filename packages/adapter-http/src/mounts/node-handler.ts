import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Failure } from "../problems/failure.ts";
import { failureResponse } from "../problems/failure-response.ts";
import { POSTERN } from "../request-state.ts";
import { DEFAULT_HEADERS } from "../responses/default-headers.ts";
import { pathOf } from "../syntax/path-of.ts";

/** The URL that the client sent: Express and Connect strip the mount path from `url`, but not from `originalUrl`. */
const originalUrl = (request: IncomingMessage): string =>
  "originalUrl" in request && typeof request.originalUrl === "string"
    ? request.originalUrl
    : (request.url ?? "");

/** The path that Express or Connect has removed from a URL; empty if none. */
const mountPath = (original: string, url: string): string =>
  original === url
    ? ""
    : pathOf(original.endsWith(url) ? original.slice(0, -url.length) : original).replace(/\/$/, "");

/**
 * Whether a request is not for the API: `/mailbox` is not below `/mail`. If the application has removed a mount path, the
 * request is for the API, even if that path is not the one that the API expects.
 */
const isElsewhere = (request: IncomingMessage, basePath: string): boolean => {
  const original = originalUrl(request);
  const path = pathOf(original);
  return original === request.url && path !== basePath && !path.startsWith(`${basePath}/`);
};

/** Whether something has already begun to read the request's body, which may be empty. */
const isBodyRead = ({ headers, readableDidRead, readableEnded }: IncomingMessage): boolean => {
  const { "content-length": length = "0", "content-type": type, "transfer-encoding": coding } = headers;
  const hasBody = coding !== undefined || length !== "0" || type !== undefined;
  return hasBody && (readableDidRead || readableEnded);
};

/** Whether the request cannot be served because of how the application mounts the API. */
const misconfiguration = (request: IncomingMessage, basePath: string): Failure | null => {
  if (isBodyRead(request)) return { code: "misconfigured", reason: "body_already_read" };
  const mounted = mountPath(originalUrl(request), request.url ?? "");
  // Express ignores the case of paths; the API then responds with 404.
  return mounted === "" || mounted.toLowerCase() === basePath.toLowerCase()
    ? null
    : { code: "misconfigured", reason: "other_base_path" };
};

const respond = (failure: Failure, request: IncomingMessage, response: ServerResponse): void => {
  const { method = "" } = request;
  const { status, headers, body } = failureResponse(failure, { method, url: originalUrl(request) });
  response.writeHead(status, { ...DEFAULT_HEADERS, ...headers }).end(body);
};

/**
 * The API as a Node request listener, for `node:http`, Express and Connect. Mount it before body parsers such as
 * `express.json()`, at the API's `basePath`. If it is mounted at another path, or after something that has read the body,
 * requests get a problem document that says what is wrong.
 *
 * Requests for paths other than `basePath` and those below it are passed on unchanged with `next`. Without `next`, which only
 * Express and Connect pass by themselves, the API responds to them with 401 or 404. Every path is below an empty `basePath`.
 *
 * The application is responsible for the server, its timeouts and its header limits.
 *
 * @param api made by `createApi`, with the `basePath` under which it is mounted
 * @throws TypeError if `api` was not made by `createApi`
 * @example
 * ```ts
 * const api = createApi({ postern: postern(ports), authorizer, basePath: "/mail" });
 * app.use("/mail", nodeHandler(api)); // Express
 *
 * const handle = nodeHandler(api); // node:http
 * createServer((request, response) => handle(request, response, () => own(request, response)));
 * ```
 */
export const nodeHandler = (api: FastifyInstance) => {
  const mounted = api[POSTERN];
  if (mounted === undefined) throw new TypeError("nodeHandler needs what createApi returns");
  let ready: Promise<unknown> | undefined;
  return (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    if (next !== undefined && isElsewhere(request, mounted.basePath)) {
      next();
      return;
    }
    const failure = misconfiguration(request, mounted.basePath);
    if (failure !== null) {
      respond(failure, request, response);
      return;
    }
    request.url = originalUrl(request);
    ready ??= Promise.resolve(api.ready());
    ready.then(
      () => api.routing(request, response),
      () => respond({ code: "internal_error" }, request, response),
    );
  };
};
