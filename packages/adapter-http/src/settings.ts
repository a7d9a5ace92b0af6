/* Whether settings are valid, for programs that check them without serving: this loads no Fastify. */

export { isGatewaySecret } from "./authentication/gateway-secret.ts";
export { areClientIds } from "./authentication/id-token.ts";
export { isJwksUri } from "./authentication/key-address.ts";
export { logoProblem } from "./responses/logo.ts";
export { isLoopback } from "./syntax/loopback.ts";
export { isOrigin } from "./syntax/origin.ts";
export { isSecureUrl } from "./syntax/secure-url.ts";
