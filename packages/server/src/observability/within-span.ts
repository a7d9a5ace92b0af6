import { context, INVALID_SPAN_CONTEXT, type Span, trace } from "@opentelemetry/api";

/** Runs `work`, in which new spans are children of the span. Without an SDK there are no spans, so it just runs. */
export const withinSpan = <Input extends readonly unknown[], T>(
  span: Span,
  work: (...input: Input) => T,
  ...input: Input
): T =>
  span.spanContext() === INVALID_SPAN_CONTEXT
    ? work(...input)
    : context.with(trace.setSpan(context.active(), span), () => work(...input));
