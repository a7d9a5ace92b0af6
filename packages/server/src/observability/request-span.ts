import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Answer, Observation, Observer } from "@postern/adapter-http";

/**
 * A span for a request, a child of the caller's if that was sent. It costs next to nothing unless an operator
 * loads an OpenTelemetry SDK.
 */
export const requestSpan = ({ method, route, headers }: Parameters<Observer>[0]): Observation => {
  const span = trace
    .getTracer("postern")
    .startSpan(
      `${method} ${route}`,
      { kind: SpanKind.SERVER, attributes: { "http.request.method": method, "http.route": route } },
      propagation.extract(context.active(), headers),
    );
  const own = trace.setSpan(context.active(), span);
  return {
    within: (handle) => context.with(own, handle),
    answered: ({ status }: Answer) => {
      span.setAttribute("http.response.status_code", status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
};
