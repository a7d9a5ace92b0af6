import type { FastifyRequest } from "fastify";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Caller } from "./caller.ts";

/** At most `max` requests of a caller in each window. */
export type Limit = {
  /** All requests, or those that create something. */
  readonly counted: "requests" | "creations";
  readonly max: number;
  readonly windowMs: number;
};

/** `left`: how much of the window is left, in milliseconds. */
export type Counted = { readonly remaining: number; readonly left: number; readonly isExceeded: boolean };

/** Counts a request. Null if it could not be counted. */
export type Count = (request: FastifyRequest, caller: Caller) => MaybePromise<Counted | null>;
