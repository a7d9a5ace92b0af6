import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  context,
  defaultTextMapGetter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { startServer } from "../src/serve/start-server.ts";
import { configurationWith } from "./support/configuration.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";

type Recorded = {
  name: string;
  /** The name of its parent span, or the id of that span if the client began it. */
  parent: string | undefined;
  attributes: Record<string, unknown>;
  failed: boolean;
  ended: boolean;
};
let spans: Recorded[] = [];

const namesById = new Map<string, string>();

const TRACE = "0af7651916cd43dd8448eb211c80319c";

const nameOf = (spanId: string | undefined) => spanId && (namesById.get(spanId) ?? spanId);

/** Stands in for an operator's SDK, and records spans in memory. */
const recorder = {
  startSpan: (name: string, options: SpanOptions = {}, parent: Context = context.active()): Span => {
    const recorded: Recorded = {
      name,
      parent: nameOf(trace.getSpanContext(parent)?.spanId),
      attributes: { ...options.attributes },
      failed: false,
      ended: false,
    };
    spans.push(recorded);
    const spanId = String(namesById.size + 1).padStart(16, "0");
    namesById.set(spanId, name);
    const own: SpanContext = { traceId: TRACE, spanId, traceFlags: TraceFlags.SAMPLED };
    const span: Span = {
      spanContext: () => own,
      setAttribute: (key, value) => {
        recorded.attributes[key] = value;
        return span;
      },
      setStatus: ({ code }) => {
        recorded.failed = code === SpanStatusCode.ERROR;
        return span;
      },
      end: () => {
        recorded.ended = true;
      },
      setAttributes: () => span,
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      updateName: () => span,
      isRecording: () => true,
      recordException: () => {},
    };
    return span;
  },
  startActiveSpan: (...given: unknown[]) => {
    const [name, options, run] = given as [string, SpanOptions, (span: Span) => unknown];
    const span = recorder.startSpan(name, options);
    return context.with(trace.setSpan(context.active(), span), () => run(span));
  },
};

beforeAll(() => {
  const contexts = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (own, run, self, ...rest) => contexts.run(own, () => run.apply(self, rest)),
    bind: (_own, target) => target,
    enable: () => expect.unreachable("it is never enabled"),
    disable: () => expect.unreachable("it is never disabled"),
  });
  trace.setGlobalTracerProvider({ getTracer: () => recorder as never });
  propagation.setGlobalPropagator({
    extract: (own, carrier, getter = defaultTextMapGetter as never) => {
      const [, traceId, spanId] = String(getter.get(carrier, "traceparent")).split("-");
      if (traceId === undefined || spanId === undefined) return own;
      return trace.setSpanContext(own, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
    },
    inject: () => {},
    fields: () => ["traceparent"],
  });
});
afterAll(() => {
  trace.disable();
  propagation.disable();
});
beforeEach(() => {
  spans = [];
});

const start = async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const configuration = configurationWith({ POSTERN_LOG_LEVEL: "silent", POSTERN_ISSUER: provider.issuer });
  const verificationMail = { send: async () => ok() };
  const server = valueOf(await startServer(configuration, { verificationMail }));
  onTestFinished(() => server.stop());
  return (path: string, { headers = {}, ...rest }: { headers?: Record<string, string> } & RequestInit = {}) =>
    fetch(server.url + path, { ...rest, headers: { authorization: `Bearer ${provider.token}`, ...headers } });
};

test("a request is a span, and its store calls are child spans", async () => {
  const call = await start();
  const body = JSON.stringify({ recipient_email: "ada@example.com" });
  const response = await call("/v1/recipients", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    },
    body,
  });
  expect(response.status).toBe(201);
  await expect.poll(() => spans[0]).toMatchObject({ ended: true });
  expect(spans).toEqual([
    {
      name: "POST /recipients",
      parent: "b7ad6b7169203331",
      attributes: {
        "http.request.method": "POST",
        "http.route": "/recipients",
        "http.response.status_code": 201,
      },
      failed: false,
      ended: true,
    },
    ...[
      "store suspensions.find",
      "store recipients.create",
      "store mailLedger.find",
      "store mailLedger.save",
      "store recipients.find",
      "store recipients.save",
    ].map((name) => ({
      name,
      parent: "POST /recipients",
      attributes: { "postern.outcome": "ok" },
      failed: false,
      ended: true,
    })),
  ]);
  expect(JSON.stringify(spans)).not.toContain("ada");
});

test("a rejected request is a span without children that has not failed", async () => {
  const call = await start();
  await (await call("/ada@example.com?q=ada", { headers: { authorization: "Bearer a.b.c" } })).text();
  await expect
    .poll(() => spans)
    .toEqual([
      {
        name: "GET unknown",
        parent: undefined,
        attributes: {
          "http.request.method": "GET",
          "http.route": "unknown",
          "http.response.status_code": 401,
        },
        failed: false,
        ended: true,
      },
    ]);
});
