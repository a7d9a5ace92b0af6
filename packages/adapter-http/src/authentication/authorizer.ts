import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { AccountId, Result, Unavailable } from "@postern/core";
import type { FastifyRequest } from "fastify";
import type { Logger } from "../logger.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { hostOf } from "../request-host.ts";
import { headerValues } from "../syntax/header-values.ts";
import type { TokenRefusal } from "./token-refusal.ts";

/** The request does not prove an identity. `reason` is for the operator: the response does not contain it. */
export type Unauthorized = { readonly code: "unauthorized"; readonly reason?: TokenRefusal | undefined };

/** The request proves an identity that may not have an account. */
export type AccountNotAllowed = { readonly code: "account_not_allowed" };

/** What an authorizer sees of a request: everything but the body, which has not been read yet. */
export type AuthorizationRequest = {
  /** The value of the only `Authorization` header; undefined if there are none or several. */
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** The path and query as the client sent them, including the prefix that the API is mounted under. */
  readonly url: string;
  /**
   * Node's request. Where the API is mounted in an application, this is the application's own object, with whatever its
   * middleware has added.
   */
  readonly raw: IncomingMessage;
  /** Fastify's request, with whatever the application's plugins and hooks have added. Null for CONNECT. */
  readonly fastify: FastifyRequest | null;
  /** The second argument of the function that `fetchHandler` returns, or what `passHost` was given; undefined otherwise. */
  readonly context: unknown;
};

/** Decides which account makes a request. */
export type Authorizer = {
  /**
   * The account that makes the request. `unauthorized` leads to 401, and `account_not_allowed` to 403. `unavailable` leads to 503; return
   * it, with a `cause` for the log, when you cannot tell whether the request is authorized. Called for every request except CORS
   * preflights, requests to the two open routes, and requests that are refused as ambiguous. Must neither throw nor reject: the client
   * would get a 500, and the log has the error with its message, which must not quote the request. The same if it returns anything else. The
   * API does not limit
   * how many requests wait for it at a time: the authorizer must.
   */
  authorize(
    request: AuthorizationRequest,
  ): MaybePromise<Result<AccountId, Unauthorized | AccountNotAllowed | Unavailable>>;
  /**
   * Prepares for the first request. Called when the API starts, with its logger if it has one; must return immediately. An
   * authorizer shared by several APIs is started by each of them.
   */
  start?(logger?: Logger | undefined): void;
  /** Stops what `start` started. Called when the API closes. */
  stop?(): void;
};

export const authorizationRequest = (
  raw: IncomingMessage,
  fastify: FastifyRequest | null,
): AuthorizationRequest => {
  const [authorization, ...others] = headerValues(raw, "authorization");
  const { headers, method = "", url = "" } = raw;
  return {
    authorization: others.length === 0 ? authorization : undefined,
    headers,
    method,
    url,
    raw,
    fastify,
    context: hostOf(raw).context,
  };
};
