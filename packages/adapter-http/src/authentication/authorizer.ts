import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { AccountId, Result, Unavailable } from "@postern/core";
import { headerValues } from "../syntax/header-values.ts";

/** The request proves no identity. Deliberately not distinguished any further. */
export type Unauthorized = { readonly code: "unauthorized" };

/** What an authorizer gets to see of a request: everything but the body, which has not been read yet. */
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
};

/** Decides which account makes a request. */
export type Authorizer = {
  /**
   * The account that makes the request. `unauthorized` is reported as 401, `unavailable` as 503: the latter while it
   * cannot be known whether the request is authorized. Called for every request except those to the two open routes. Must
   * not reject: the client would get a 500.
   */
  authorize(request: AuthorizationRequest): Promise<Result<AccountId, Unauthorized | Unavailable>>;
  /** Prepares for the first request. Called when the API starts; must return immediately. */
  start?(): void;
  /** Ends what `start` began. Called when the API closes. */
  stop?(): void;
};

export const authorizationRequest = (raw: IncomingMessage): AuthorizationRequest => {
  const [authorization, ...others] = headerValues(raw, "authorization");
  const { headers, method = "", url = "" } = raw;
  return { authorization: others.length === 0 ? authorization : undefined, headers, method, url, raw };
};
