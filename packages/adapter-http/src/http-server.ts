/*
 * The bounds of a server for the public network, for programs that serve something else beside the API: this loads no Fastify. Every
 * request has to be passed to `whenOver`, which counts those of a connection that are unanswered.
 */

export { httpServer } from "./connection/http-server.ts";
export { whenOver } from "./connection/open-requests.ts";
export { parseFailureResponder } from "./connection/parse-failure.ts";
export { failureResponse } from "./problems/failure-response.ts";
