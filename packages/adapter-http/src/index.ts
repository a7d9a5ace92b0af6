export { createApi } from "./api.ts";
export { type Authorizer, idTokenAuthorizer, type Unauthorized } from "./authorizer.ts";
export { type OpenApiDocument, openApiDocument } from "./openapi.ts";
export type { UseCases } from "./route.ts";
