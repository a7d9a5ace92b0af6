import type { FastifyReply } from "fastify";
import type { RequestState } from "../request-state.ts";

/**
 * Counts the requests in flight: those without a response yet, and those whose client has gone while the work for them
 * continues. Otherwise clients that give up and retry would pile up work without bound.
 */
export const inFlight = () => {
  let requests = 0;
  return {
    /** Counts a request until it is over. */
    enter: (state: RequestState, reply: FastifyReply): void => {
      requests += 1;
      reply.raw.once("close", async () => {
        await Promise.allSettled([state.work]);
        requests -= 1;
      });
    },
    exceeds: (limit: number): boolean => requests > limit,
  };
};
