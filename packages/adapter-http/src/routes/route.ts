import {
  type AccountId,
  type AnyPostern,
  err,
  type InvalidRequest,
  type Operation,
  type Scope,
} from "@postern/core";
import type { Language } from "@postern/core/words";
import type { FastifyRequest } from "fastify";
import { countUnlessRepeated } from "../limits/count-unless-repeated.ts";
import type { Health } from "../limits/health.ts";
import type { RateLimit } from "../limits/rate-limit.ts";
import type { NamedSchema } from "../openapi/schema.ts";
import type { Tag } from "../openapi/tags.ts";
import type { Failure, ProblemCode } from "../problems/failure.ts";
import { stateOf } from "../request-state.ts";
import { type InputDescription, inputReader } from "../requests/input-reader.ts";
import type { Sources } from "../requests/source.ts";
import type { Pages } from "../responses/page.ts";
import {
  type ApiResponse,
  emptyResponse,
  jsonInParts,
  jsonResponse,
  type Outcome,
} from "../responses/response.ts";
import type { VerifyPages } from "../responses/verify-page.ts";

/** The methods that routes support; every GET route supports HEAD too. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** One of several forms of a body, each of which lacks some members. */
type BodyShape = {
  readonly name: string;
  readonly description: string;
  /** The members that it lacks, by their names in the body. */
  readonly without: readonly string[];
  /** The members that only this form requires. */
  readonly requires?: readonly string[];
};

type Success =
  | (NamedSchema & {
      readonly status: 200 | 201 | 202;
      readonly description: string;
      readonly headers?: readonly ("ETag" | "Location")[];
    })
  | { readonly status: 204; readonly description: string };

/** What the OpenAPI document says about a route. */
export type RouteDescription = InputDescription & {
  /** The body of a PATCH is a JSON Merge Patch. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As OpenAPI writes it: `/aliases/{alias_id}`. */
  readonly path: string;
  /** Whether the route needs no token. */
  readonly open?: true;
  /** The scope that a program needs; `any`: whichever it has. Absent if no program may use the route. */
  readonly scope?: Scope | "any";
  /** Whether the route responds under any load: no limit applies to it. */
  readonly unlimited?: true;
  /**
   * Whether the limit of creations applies: the route creates something, or sends a test event. `once`: not to repeats with an
   * `Idempotency-Key`, which create nothing.
   */
  readonly creates?: true | "once";
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** The name of the body's schema, if the route reads a body. */
  readonly bodyName?: string;
  /** The forms that the body can have, if not all members can be combined. */
  readonly bodyShapes?: readonly BodyShape[];
  readonly success: Success;
  /** Whether a browser that asks for text/html gets a page instead of JSON. */
  readonly page?: true;
  /** The problems specific to this route. Those common to all routes, or to all bodies, are added automatically. */
  readonly problems: readonly ProblemCode[];
};

/** What a handler depends on. Each route has one handler for each of the `PREFIXES`. */
type Environment = {
  /** What the path of every link begins with: the path the API is mounted under, and the version prefix. */
  readonly linkBase: string;
  readonly rateLimit: RateLimit;
  readonly health: Health;
  /** The pages of the service. */
  readonly pages: Pages;
  /** The pages that verification links lead to, and their language for browsers that ask for none that there is. */
  readonly verification: { readonly pages: VerifyPages; readonly language: Language };
};

/** @param account the account that makes the request; null on open routes */
export type Handler = (request: FastifyRequest, account: AccountId | null) => Promise<Outcome>;

export type ServedRoute = RouteDescription & { readonly handler: (environment: Environment) => Handler };

/** What it takes to serve a route; not every route is in the OpenAPI document. */
export type RegisteredRoute = Pick<
  ServedRoute,
  "method" | "path" | "open" | "scope" | "unlimited" | "creates" | "handler"
> & {
  /** Whether a body of any type is read, as JSON if it is any: for programs that send none, or a wrong type. */
  readonly anyBody?: true;
};

export type Route = RouteDescription & {
  /** The handler for this service; null if the service lacks the operation, because its store lacks what the operation is about. */
  readonly serve: (postern: AnyPostern) => ServedRoute["handler"] | null;
};

/** What a successful response consists of besides its status. `parts` make up JSON that may be long. */
type Content =
  | { readonly body?: unknown; readonly headers?: ApiResponse["headers"] }
  | { readonly parts: readonly (() => string)[] };

/**
 * A route that carries out one operation of core: it reads the operation's input from the sources given, runs the
 * operation and responds with its value. The compiler checks that every field of the input has a source, and that every
 * failure is one that the API can report.
 */
export const operationRoute = <Input, Value, Error extends Failure | InvalidRequest>({
  operation,
  respond,
  ...description
}: Omit<RouteDescription, "input" | "open" | "page"> & {
  readonly operation: (postern: AnyPostern) => Operation<Input, Value, Error> | undefined;
  readonly input: Sources<Input>;
  readonly respond: (
    value: Value,
    context: { readonly account: AccountId } & Pick<Environment, "linkBase" | "rateLimit">,
  ) => Content;
}): Route => ({
  ...description,
  serve: (postern) => {
    const served = operation(postern);
    if (served === undefined) return null;
    const { parse, run } = served;
    const readInput = inputReader(description, parse);
    const { status } = description.success;
    return ({ linkBase, rateLimit }) =>
      async (request, account): Promise<Outcome> => {
        if (account === null) throw new Error("Only open routes have no account");
        const input = readInput(request, account);
        if (input.isErr()) return err(input.error);
        // Most requests are counted already, and must not wait for another asynchronous step.
        const { countCreation, timeLeft } = stateOf(request);
        const refusal =
          countCreation && (await countUnlessRepeated(countCreation, postern, request, account, timeLeft));
        if (refusal !== null) return refusal;
        const result = await run(input.value.parsed, timeLeft);
        return result.map((value) => {
          const content = respond(value, { account, linkBase, rateLimit });
          if ("parts" in content) return jsonInParts(status, content.parts);
          const { body, headers } = content;
          return body === undefined ? emptyResponse(status) : jsonResponse(status, body, headers);
        });
      };
  },
});
