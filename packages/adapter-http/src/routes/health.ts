import { setTimeout } from "node:timers/promises";
import { err, type Unavailable } from "@postern/core";
import { object } from "../openapi/schema.ts";
import { jsonResponse, type Outcome } from "../responses/response.ts";
import type { Route } from "./route.ts";

/** How long the store may take to respond: the whole response is promised within a second. */
const PING_TIMEOUT_MS = 800;

const LATE: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: `the store did not respond within ${PING_TIMEOUT_MS} ms` },
};

export const healthRoute: Route = {
  method: "GET",
  path: "/health",
  open: true,
  unlimited: true,
  operationId: "health",
  summary: "Whether the service and its store respond",
  input: {},
  success: {
    status: 200,
    description: "Both respond",
    name: "Health",
    schema: object({ status: { type: "string", const: "ok" } }),
  },
  problems: ["unavailable"],
  handler: ({ postern }) => {
    const respond = async (): Promise<Outcome> => {
      const responded = new AbortController();
      const late = setTimeout(PING_TIMEOUT_MS, err(LATE), { signal: responded.signal });
      // Aborting the timer rejects its promise, which nothing awaits any more.
      late.catch(() => {});
      const state = await Promise.race([postern.ping(), late]);
      responded.abort();
      return state.map(() => jsonResponse(200, { status: "ok" }));
    };
    let response: Promise<Outcome> | null = null;
    // Concurrent requests share a ping, because no limit applies to them and each would otherwise call the store.
    return () => {
      response ??= respond().finally(() => {
        response = null;
      });
      return response;
    };
  },
};
