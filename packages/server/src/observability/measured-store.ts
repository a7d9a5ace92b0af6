import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Cause, PortResult, Store } from "@postern/core";
import { causeText } from "./cause-text.ts";
import type { Metrics } from "./metrics.ts";
import { withinSpan } from "./within-span.ts";

/** Uses the SDK that the operator loads, if any, whenever that is. */
const tracer = trace.getTracer("postern");

/** The names of all operations, such as `aliases.save` and `ping`. */
const operationsOf = (store: Store): readonly string[] =>
  Object.entries(store).flatMap(([name, port]) =>
    typeof port === "function" ? [name] : Object.keys(port).map((own) => `${name}.${own}`),
  );

/** The store, with a span and a measurement for each call. Neither contains data from the request or the result. */
export const measuredStore = (
  store: Store,
  { storeOpened, storeCalled }: Pick<Metrics, "storeOpened" | "storeCalled">,
): Store => {
  const measure = async <T, E extends { readonly code: string; readonly cause?: Cause | undefined }>(
    operation: string,
    call: () => PortResult<T, E>,
  ): PortResult<T, E> => {
    const start = performance.now();
    const span = tracer.startSpan(`store ${operation}`, { kind: SpanKind.CLIENT });
    const result = await withinSpan(span, call);
    const outcome = result.isOk() ? "ok" : result.error.code;
    span.setAttribute("postern.outcome", outcome);
    if (result.isErr() && result.error.code === "unavailable") {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute("postern.cause", causeText(result.error.cause));
    }
    span.end();
    storeCalled(operation, outcome, performance.now() - start);
    return result;
  };

  // Methods are called on their object, because a custom store can be a class that needs `this`.
  const { aliases, recipients, mailLedger, suspensions } = store;
  const measured: Store = {
    aliases: {
      findWithRecipients: (...input) =>
        measure("aliases.findWithRecipients", () => aliases.findWithRecipients(...input)),
      findByEmail: (...input) => measure("aliases.findByEmail", () => aliases.findByEmail(...input)),
      list: (...input) => measure("aliases.list", () => aliases.list(...input)),
      create: (...input) => measure("aliases.create", () => aliases.create(...input)),
      save: (...input) => measure("aliases.save", () => aliases.save(...input)),
      recordOutcome: (...input) => measure("aliases.recordOutcome", () => aliases.recordOutcome(...input)),
      erase: (...input) => measure("aliases.erase", () => aliases.erase(...input)),
      retireAddress: (...input) => measure("aliases.retireAddress", () => aliases.retireAddress(...input)),
      isRetired: (...input) => measure("aliases.isRetired", () => aliases.isRetired(...input)),
      listRetiredAddresses: (...input) =>
        measure("aliases.listRetiredAddresses", () => aliases.listRetiredAddresses(...input)),
    },
    recipients: {
      find: (...input) => measure("recipients.find", () => recipients.find(...input)),
      findAll: (...input) => measure("recipients.findAll", () => recipients.findAll(...input)),
      list: (...input) => measure("recipients.list", () => recipients.list(...input)),
      create: (...input) => measure("recipients.create", () => recipients.create(...input)),
      save: (...input) => measure("recipients.save", () => recipients.save(...input)),
      remove: (...input) => measure("recipients.remove", () => recipients.remove(...input)),
    },
    mailLedger: {
      find: (...input) => measure("mailLedger.find", () => mailLedger.find(...input)),
      save: (...input) => measure("mailLedger.save", () => mailLedger.save(...input)),
      list: (...input) => measure("mailLedger.list", () => mailLedger.list(...input)),
    },
    suspensions: {
      find: (...input) => measure("suspensions.find", () => suspensions.find(...input)),
      suspend: (...input) => measure("suspensions.suspend", () => suspensions.suspend(...input)),
      resume: (...input) => measure("suspensions.resume", () => suspensions.resume(...input)),
    },
    accounts: (...input) => measure("accounts", () => store.accounts(...input)),
    ping: (...input) => measure("ping", () => store.ping(...input)),
  };
  storeOpened(operationsOf(measured));
  return measured;
};
