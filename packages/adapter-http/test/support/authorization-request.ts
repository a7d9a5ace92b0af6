import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { AuthorizationRequest } from "../../src/index.ts";

/** A request with this `Authorization` header and these other headers. */
export const requestWith = (
  authorization: string | undefined,
  headers: readonly (readonly [name: string, value: string])[] = [],
): AuthorizationRequest => {
  const raw = new IncomingMessage(new Socket());
  raw.rawHeaders = headers.flat();
  const { headers: parsed } = raw;
  return {
    authorization,
    headers: parsed,
    method: "GET",
    url: "/aliases",
    raw,
    fastify: null,
    context: undefined,
  };
};
