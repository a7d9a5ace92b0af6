import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { CompletedResponse, Observation, Observer } from "@postern/adapter-http";
import { isNoSpan, withinSpan } from "./within-span.ts";

const tracer = trace.getTracer("postern");

const UNTRACED: Observation = { within: (handle) => handle(), answered: () => {} };

/**
 * The span of a request, a child of the client's span if the request names one. It costs next to nothing unless the
 * operator loads an OpenTelemetry SDK.
 */
export const requestSpan = ({ method, route, headers }: Parameters<Observer>[0]): Observation => {
  const span = tracer.startSpan(
    `${method} ${route}`,
    { kind: SpanKind.SERVER, attributes: { "http.request.method": method, "http.route": route } },
    propagation.extract(context.active(), headers),
  );
  if (isNoSpan(span)) return UNTRACED;
  return {
    within: (handle) => withinSpan(span, handle),
    answered: ({ status }: CompletedResponse) => {
      span.setAttribute("http.response.status_code", status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
};
