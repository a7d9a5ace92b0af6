export { type LambdaHandler, type LambdaOptions, lambdaHandler } from "./lambda-handler.ts";
export type { LambdaResponse } from "./lambda-response.ts";
