import type { FastifyReply, FastifyRequest } from "fastify";

/** What pages of listed origins may send and read. A gateway in front of the API says the same. */
export const CORS = {
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  headers: ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "X-Request-Id"],
  exposed: [
    "ETag",
    "Location",
    "Retry-After",
    "Allow",
    "Accept-Patch",
    "RateLimit",
    "RateLimit-Policy",
    "X-Request-Id",
  ],
  /** How long a browser remembers the response to a preflight. */
  maxAgeSeconds: 600,
} as const;

/** What programs send that were made for other services. */
const HEADERS_OF_PROGRAMS = [...CORS.headers, "Authentication", "X-Requested-From", "X-Requested-With"];

/**
 * Cross-origin calls from browsers: every preflight succeeds, and the listed origins, or any, are allowed to read responses. Never with
 * credentials: clients send a token, not a cookie.
 *
 * Responses also need `Vary: Origin`.
 *
 * Not @fastify/cors: it responds to OPTIONS requests that are not preflights before they are authenticated, and adds a
 * route for OPTIONS to every path.
 *
 * @returns whether the request is a preflight, which needs nothing more than a 204
 */
export const cors = (
  origins: readonly string[] | "any",
  request: FastifyRequest,
  reply: FastifyReply,
): boolean => {
  const { origin } = request.headers;
  const allowed = origin !== undefined && (origins === "any" || origins.includes(origin));
  if (allowed) reply.header("access-control-allow-origin", origin);

  const isPreflight =
    request.method === "OPTIONS" &&
    origin !== undefined &&
    request.headers["access-control-request-method"] !== undefined;
  if (allowed && isPreflight) {
    reply.headers({
      "access-control-allow-methods": CORS.methods.join(", "),
      "access-control-allow-headers": (origins === "any" ? HEADERS_OF_PROGRAMS : CORS.headers).join(", "),
      "access-control-max-age": String(CORS.maxAgeSeconds),
    });
  } else if (allowed) {
    reply.header("access-control-expose-headers", CORS.exposed.join(", "));
  }
  return isPreflight;
};
