import { context, isSpanContextValid, type Span, trace } from "@opentelemetry/api";

/** Runs `work`, in which new spans are children of the span. Without an SDK there are no spans, so it just runs. */
export const withinSpan = <T>(span: Span, work: () => T): T =>
  isSpanContextValid(span.spanContext()) ? context.with(trace.setSpan(context.active(), span), work) : work();
