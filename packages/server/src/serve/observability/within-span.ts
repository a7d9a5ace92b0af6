import { context, INVALID_SPAN_CONTEXT, type Span, trace } from "@opentelemetry/api";

/** Whether there is no span, because there is no SDK. */
export const isNoSpan = (span: Span): boolean => span.spanContext() === INVALID_SPAN_CONTEXT;

/** Runs `work`, in which new spans are children of the span. Without an SDK there are no spans, so it just runs. */
export const withinSpan = <Input extends readonly unknown[], T>(
  span: Span,
  work: (...input: Input) => T,
  ...input: Input
): T =>
  isNoSpan(span) ? work(...input) : context.with(trace.setSpan(context.active(), span), () => work(...input));
