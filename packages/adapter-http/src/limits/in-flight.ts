import type { FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** What the route does for the request; null before it begins. */
    work: Promise<unknown> | null;
  }
}

/**
 * Counts the requests in flight: those not answered yet, and those whose caller has gone while the work for them
 * goes on. Otherwise callers that give up and try again would pile up work without bound.
 */
export const inFlight = () => {
  let requests = 0;
  return {
    /** Counts a request in, and out once it is over. */
    enter: (request: FastifyRequest, reply: FastifyReply): void => {
      requests += 1;
      reply.raw.once("close", async () => {
        await Promise.allSettled([request.work]);
        requests -= 1;
      });
    },
    exceeds: (most: number): boolean => requests > most,
  };
};
