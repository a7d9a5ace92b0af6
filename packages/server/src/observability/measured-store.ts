import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Store } from "@postern/core";
import type { Result } from "neverthrow";
import type { Metrics } from "./metrics.ts";

/** The store, with a span and a measurement for each call. Neither holds anything of what is asked or answered. */
export const measuredStore = (
  { aliases, recipients, accounts, ping }: Store,
  { storeAnswered }: Pick<Metrics, "storeAnswered">,
): Store => {
  const measured =
    <A extends readonly unknown[], T, E extends { readonly code: string }>(
      operation: string,
      call: (...request: A) => Promise<Result<T, E>>,
    ) =>
    (...request: A): Promise<Result<T, E>> => {
      const start = performance.now();
      const tracer = trace.getTracer("postern");
      return tracer.startActiveSpan(`store ${operation}`, { kind: SpanKind.CLIENT }, async (span) => {
        const answer = await call(...request);
        const outcome = answer.isOk() ? "ok" : answer.error.code;
        span.setAttribute("postern.outcome", outcome);
        if (outcome === "unavailable") span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        storeAnswered(operation, outcome, performance.now() - start);
        return answer;
      });
    };

  return {
    aliases: {
      findWithRecipients: measured("aliases.findWithRecipients", aliases.findWithRecipients),
      list: measured("aliases.list", aliases.list),
      create: measured("aliases.create", aliases.create),
      save: measured("aliases.save", aliases.save),
      recordOutcome: measured("aliases.recordOutcome", aliases.recordOutcome),
    },
    recipients: {
      find: measured("recipients.find", recipients.find),
      findAll: measured("recipients.findAll", recipients.findAll),
      list: measured("recipients.list", recipients.list),
      create: measured("recipients.create", recipients.create),
      save: measured("recipients.save", recipients.save),
      remove: measured("recipients.remove", recipients.remove),
    },
    accounts: measured("accounts", accounts),
    ping: measured("ping", ping),
  };
};
