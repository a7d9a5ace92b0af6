import { SERVICE, serviceJson } from "../responses/service-json.ts";
import { operationRoute } from "./route.ts";

export const serviceRoute = operationRoute({
  method: "GET",
  path: "/service",
  scope: "any",
  operationId: "getService",
  tag: "Service",
  summary: "Get what this service offers: alias domains, webhooks and limits",
  description: "As it is configured: it changes only when the service is restarted.",
  operation: (postern) => postern.getService,
  input: {},
  success: { status: 200, description: "The same for every account", ...SERVICE },
  problems: [],
  respond: (offer, { rateLimit }) => ({ body: serviceJson(offer, rateLimit) }),
});
