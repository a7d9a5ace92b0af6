import { setTimeout } from "node:timers/promises";
import type { Unavailable } from "@postern/core";
import { err } from "neverthrow";
import { z } from "zod";
import { sendProblem } from "../problems/problem.ts";
import type { Route } from "./route.ts";

/** How long the store may take to answer, in milliseconds; the whole answer is promised within a second. */
const PATIENCE = 800;

const unavailable: Unavailable = { code: "unavailable" };

export const healthRoute: Route = {
  method: "GET",
  path: "/health",
  open: true,
  operationId: "health",
  summary: "Whether the service and its store answer",
  success: {
    status: 200,
    description: "They do",
    name: "Health",
    schema: z.strictObject({ status: z.literal("ok") }),
  },
  problems: ["unavailable"],
  handler:
    ({ health }) =>
    async (_request, reply) => {
      const answered = new AbortController();
      const late = setTimeout(PATIENCE, err(unavailable), { signal: answered.signal });
      // Aborting the wait rejects it, and nobody is left to hear.
      late.catch(() => {});
      const state = await Promise.race([health(), late]);
      answered.abort();
      return state.isOk() ? reply.send({ status: "ok" }) : sendProblem(reply, state.error);
    },
};
