import {
  createApi,
  gatewayAuthorizer,
  passHost,
  type RateLimit,
  type RequiredClaim,
} from "@postern/adapter-http";
import inject from "light-my-request";
import { readEvent } from "./gateway-request.ts";
import { type LambdaResponse, lambdaResponse } from "./lambda-response.ts";

/** How long before Lambda ends the function the response must be ready, in milliseconds. */
const RESERVED_MS = 500;

export type LambdaOptions = Omit<
  Parameters<typeof createApi>[0],
  "authorizer" | "rateLimit" | "trustedProxies"
> & {
  /** As in `gatewayAuthorizer`. */
  readonly issuer: string;
  /** As in `gatewayAuthorizer`: the id of the client, or a list of up to ten. */
  readonly audience: string | readonly string[];
  /** As in `gatewayAuthorizer`. */
  readonly requiredClaim?: RequiredClaim | undefined;
  /**
   * Returns the claims of the token in the `Authorization` header that something in front of the function has verified, from the event, which
   * may be any; anything else if there are none. They must not come from anything that a client can send. By default, those of the
   * Cognito authorizer of a REST API or the JWT authorizer of an HTTP API.
   */
  claims?(event: unknown): unknown;
  /**
   * How many requests a caller may make. Functions count together, in the Redis of `redisUrl`. With `"gateway"`, nothing is counted per
   * minute, creations included: API Gateway can only limit all callers together. What an account can have, and how many verification
   * messages it can cause in a day, is limited all the same (`limits` of `postern`).
   */
  readonly rateLimit: (RateLimit & { readonly redisUrl: string }) | "gateway";
};

/** The part of Lambda's context that the handler reads. */
type LambdaContext = { readonly awsRequestId: string; getRemainingTimeInMillis(): number };

export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<LambdaResponse>;

const sharedLimit = (rateLimit: LambdaOptions["rateLimit"]): RateLimit | undefined => {
  if (rateLimit === "gateway") return undefined;
  if (typeof rateLimit?.redisUrl === "string") return rateLimit;
  throw new TypeError(
    'rateLimit must have a redisUrl, because each instance of a function would count alone, or be "gateway" if only the gateway limits requests',
  );
};

/**
 * The HTTP API as a Lambda function behind API Gateway: a REST API with a Cognito authorizer, or an HTTP API with a JWT authorizer, in
 * either payload format. It listens on nothing, and has no timer while no request is waiting.
 *
 * The gateway verifies the token, and the API compares it with the claims that the gateway passes on (`gatewayAuthorizer`). Other events get
 * 401: those of function URLs and load balancers, and those of IAM and Lambda authorizers, unless `claims` finds some.
 *
 * A request ends half a second before Lambda would end it: what is not done then is 503. Its id is the client's, or else Lambda's; the client's
 * address is the one that the gateway has seen.
 *
 * @param options.basePath what clients see before the paths of the API, such as the stage or what a custom domain maps to the API; empty by
 *   default. It may be missing in the events
 * @throws TypeError if an option is invalid. The handler rejects with one if an event is no request of API Gateway
 * @example
 * ```ts
 * export const handler = lambdaHandler({ postern: postern(ports), issuer, audience, rateLimit: "gateway" });
 * ```
 */
export const lambdaHandler = ({
  issuer,
  audience,
  requiredClaim,
  claims,
  rateLimit,
  ...options
}: LambdaOptions): LambdaHandler => {
  const { basePath = "" } = options;
  const authorizer = gatewayAuthorizer({
    issuer,
    audience,
    requiredClaim,
    claims: ({ context }) => context,
  });
  const api = createApi({ ...options, authorizer, rateLimit: sharedLimit(rateLimit) });
  return async (event, lambda) => {
    const request = readEvent(event, basePath);
    const { method, url, headers, body, clientAddress } = request;
    const verified = claims === undefined ? request.claims : claims(event);
    await api.ready();
    const response = await inject(
      (incoming, outgoing) => {
        // It has been parsed as a URL, which would resolve dots.
        incoming.url = url;
        passHost(incoming, {
          context: verified,
          requestId: lambda.awsRequestId,
          timeLeft: () => Math.max(0, lambda.getRemainingTimeInMillis() - RESERVED_MS),
        });
        api.routing(incoming, outgoing);
      },
      {
        method,
        url: "/",
        headers,
        ...(body !== undefined && { payload: body }),
        ...(clientAddress !== undefined && { remoteAddress: clientAddress }),
      },
    );
    return lambdaResponse(response, request);
  };
};
