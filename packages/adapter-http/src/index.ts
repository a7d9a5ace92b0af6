export { createApi } from "./api.ts";
export { gatewayAuthorizer } from "./authentication/gateway-authorizer.ts";
export {
  type Authorizer,
  idTokenAuthorizer,
  type Unauthorized,
} from "./authentication/id-token-authorizer.ts";
export type { RateLimit } from "./limits/rate-limit.ts";
export type { Answer, Observation, Observer } from "./observer.ts";
export { type OpenApiDocument, openApiDocument } from "./openapi/document.ts";
export type { UseCases } from "./routes/route.ts";
