import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { AuthorizationRequest } from "../../src/index.ts";

/** A request with this `Authorization` header. */
export const requestWith = (authorization: string | undefined): AuthorizationRequest => {
  const raw = new IncomingMessage(new Socket());
  return { authorization, headers: raw.headers, method: "GET", url: "/aliases", raw };
};
