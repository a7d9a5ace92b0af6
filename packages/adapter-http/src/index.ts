export { createApi } from "./api.ts";
export { type Authorizer, idTokenAuthorizer, type Unauthorized } from "./authorizer.ts";
export { gatewayAuthorizer } from "./gateway-authorizer.ts";
export type { Answer, Observation, Observer } from "./observer.ts";
export { type OpenApiDocument, openApiDocument } from "./openapi.ts";
export type { RateLimit } from "./rate-limit.ts";
export type { UseCases } from "./route.ts";
