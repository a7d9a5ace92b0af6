export { createApi } from "./api.ts";
export type {
  AccountNotAllowed,
  AuthorizationRequest,
  Authorizer,
  Unauthorized,
} from "./authentication/authorizer.ts";
export { gatewayAuthorizer } from "./authentication/gateway-authorizer.ts";
export { isGatewaySecret } from "./authentication/gateway-secret.ts";
export { SKEW } from "./authentication/id-token.ts";
export { idTokenAuthorizer } from "./authentication/id-token-authorizer.ts";
export { type ClockDifference, checkIssuer, type IssuerCheck } from "./authentication/issuer-check.ts";
export type { KeyAddress } from "./authentication/key-address.ts";
export type { RequiredClaim } from "./authentication/required-claim.ts";
export { TOKEN_REFUSALS, type TokenRefusal } from "./authentication/token-refusal.ts";
export { createKeysApi, type KeysApiOptions } from "./keys-api.ts";
export { checkRedis } from "./limits/check-redis.ts";
export type { RateLimit } from "./limits/rate-limit.ts";
export type { Logger } from "./logger.ts";
export { apiPlugin } from "./mounts/api-plugin.ts";
export { fetchHandler } from "./mounts/fetch-handler.ts";
export { nodeHandler } from "./mounts/node-handler.ts";
export type { CompletedResponse, Observation, Observer } from "./observer.ts";
export { type OpenApiDocument, openApiDocument } from "./openapi/document.ts";
export type { ApiOptions } from "./register-api.ts";
export { passHost, type RequestHost } from "./request-host.ts";
export { CONNECTION_HEADERS } from "./responses/connection-headers.ts";
export { webhookEventJson } from "./responses/webhook-event-json.ts";
export { isLoopback } from "./syntax/loopback.ts";
export { isOrigin } from "./syntax/origin.ts";
export { isSecureUrl } from "./syntax/secure-url.ts";
