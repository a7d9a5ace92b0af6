import { object } from "../openapi/schema.ts";
import { jsonResponse } from "../responses/response.ts";
import type { Route } from "./route.ts";

export const healthRoute: Route = {
  method: "GET",
  path: "/health",
  scope: "any",
  open: true,
  unlimited: true,
  operationId: "health",
  tag: "Service",
  summary: "Whether the service can read and write its store",
  description: "For load balancers and monitoring. It is not limited, and responds within a second.",
  input: {},
  success: {
    status: 200,
    description: "It can",
    name: "Health",
    schema: object({ status: { type: "string", const: "ok" } }),
  },
  problems: ["unavailable"],
  serve:
    () =>
    ({ health }) =>
    async () =>
      (await health()).map(() => jsonResponse(200, { status: "ok" })),
};
