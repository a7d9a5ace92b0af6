import { TOKEN_REFUSALS } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { err, ok, parseAccountId, parseAliasId, parseEventId, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { freePort } from "@postern/test-support/free-port";
import { describe, expect, onTestFinished, test } from "vitest";
import { compose } from "../src/serve/composition/compose.ts";
import { measuredStore } from "../src/serve/observability/measured-store.ts";
import { serveMetrics } from "../src/serve/observability/metrics-listener.ts";
import { prometheusMetrics } from "../src/serve/observability/prometheus-metrics.ts";
import { configurationWith } from "./support/configuration.ts";
import { startMeasuredHere } from "./support/measured-server.ts";

const account = valueOf(parseAccountId("ada"));
const page = { limit: 1, after: null };

const startMeasured = async () => {
  const { provider, ...server } = await startMeasuredHere();
  const get = async (path: string, method = "GET") => {
    const headers = { authorization: `Bearer ${provider.token}` };
    return (await fetch(server.url + path, { method, headers })).arrayBuffer();
  };
  return { ...server, get };
};

describe("the metrics of a running server", () => {
  test("count requests by route, method and status, and contain nothing that was sent", async () => {
    const { get, scrape } = await startMeasured();
    await get("/aliases?q=ada@example.com");
    await get("/v1/aliases");
    await get("/aliases/ada@example.com");
    for (const path of ["/a", "/b", "/ada@example.com", "/%E0%A4%A"]) await get(path);
    await get("/aliases", "PROPFIND");
    await get("/a", "SEARCH");
    await get("/health");

    const counts = [
      '{route="/aliases",method="GET",status="200"} 2',
      '{route="/aliases/{alias_id}",method="GET",status="404"} 1',
      '{route="unknown",method="GET",status="404"} 3',
      '{route="unknown",method="GET",status="400"} 1',
      '{route="unknown",method="other",status="404"} 1',
      '{route="unknown",method="other",status="405"} 1',
      '{route="/health",method="GET",status="200"} 1',
    ];
    const count = /^postern_http_request_duration_seconds_count(.+)$/gm;
    const counted = async () => [...(await scrape()).matchAll(count)].map(([, line]) => line);
    await expect.poll(async () => (await counted()).sort()).toEqual(counts.sort());
    expect(await scrape()).not.toContain("example.com");
  });

  test("cover the store, the token cache and the process", async () => {
    const { get, scrape } = await startMeasured();
    for (let i = 0; i < 3; i += 1) await get("/aliases");
    await get("/health");
    await expect
      .poll(scrape)
      .toContain('postern_store_operation_duration_seconds_count{operation="aliases.list",outcome="ok"} 3');
    const text = await scrape();
    expect(text).toContain('postern_store_operation_duration_seconds_count{operation="ping",outcome="ok"} 1');
    expect(text).toContain('postern_token_cache_lookups_total{result="miss"} 1');
    expect(text).toContain('postern_token_cache_lookups_total{result="hit"} 2');
    expect(text).toContain("postern_http_requests_in_flight 0");
    expect(text).toContain("postern_contention_retries_total 0");
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });

  test("are served on their own port only", async () => {
    const { url, metrics } = await startMeasured();
    const scraped = await fetch(`${metrics}/metrics`);
    expect(scraped.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    for (const path of ["/", "/health", "/aliases", "/metrics/"]) {
      expect((await fetch(metrics + path)).status).toBe(404);
    }
    expect((await fetch(`${metrics}/metrics`, { method: "POST" })).status).toBe(404);
  });
});

test("store errors are counted by operation and code", async () => {
  const metrics = prometheusMetrics();
  const store = memoryStore();
  const down: Store = {
    ...store,
    ping: async () => err({ code: "unavailable" }),
    aliases: { ...store.aliases, list: async () => err({ code: "unavailable" }) },
  };
  const measured = measuredStore(down, metrics);
  expect(await measured.ping()).toEqual(err({ code: "unavailable" }));
  await measured.aliases.list(account, page, { deleted: false });
  const event = { id: valueOf(parseEventId("e")), outcome: "sent", at: 1 } as const;
  const reference = { account, id: valueOf(parseAliasId("none")) };
  expect(await measured.aliases.recordOutcome(reference, event)).toEqual(err({ code: "alias_not_found" }));
  const text = await metrics.text();
  for (const labels of [
    'operation="ping",outcome="unavailable"',
    'operation="aliases.list",outcome="unavailable"',
    'operation="aliases.recordOutcome",outcome="alias_not_found"',
  ]) {
    expect(text).toContain(`postern_store_operation_duration_seconds_count{${labels}} 1`);
  }
  const failures = [...text.matchAll(/^postern_store_failures_total\{operation="(.+)"\} ([1-9].*)$/gm)];
  expect(failures.map(([, operation, count]) => [operation, count])).toEqual([
    ["aliases.list", "1"],
    ["ping", "1"],
  ]);
});

test("durations are exported in seconds", async () => {
  const metrics = prometheusMetrics();
  metrics.storeCalled("ping", "ok", 250);
  metrics.mail.committed(500);
  const text = await metrics.text();
  expect(text).toContain(
    'postern_store_operation_duration_seconds_sum{operation="ping",outcome="ok"} 0.25\n',
  );
  expect(text).toContain("postern_mail_commit_duration_seconds_sum 0.5\n");
});

test("every series that an alert may read exists from the start, at 0", async () => {
  const composition = valueOf(await compose(configurationWith({ POSTERN_METRICS_PORT: "0" })));
  onTestFinished(() => composition.close());
  expect(composition.postern).toBeDefined();
  const text = await composition.metrics.text();
  const series = [...text.matchAll(/^(postern_\w+_total)(\{.+\})? (.+)$/gm)];
  for (const [line, , , value] of series) expect([line, value]).toEqual([line, "0"]);
  const labels = (metric: string) =>
    series.filter(([, name]) => name === metric).map(([, , label]) => label?.split('"')[1]);
  expect(labels("postern_http_responses_total")).toEqual(["401", "403", "429", "499", "500", "503"]);
  expect(labels("postern_tokens_refused_total")).toEqual([...TOKEN_REFUSALS, "not_allowed", "other"]);
  expect(labels("postern_jwks_fetches_total")).toEqual(["ok", "failed"]);
  expect(labels("postern_mail_messages_total")).toEqual(["sent", "queued", "refused", "not_sent", "unknown"]);
  expect(labels("postern_webhook_events_total")).toEqual(["delivered", "failed", "expired"]);
  expect(labels("postern_mail_reports_total")).toEqual([
    ...["delivered", "bounced", "complaint", "duplicate", "unknown_copy", "delayed", "expanded"],
    ...["passed_on", "auto_reply", "read_receipt", "other_feedback", "unknown", "dropped"],
    ...["handed_over", "elsewhere", "no_report"],
  ]);
  // docs/operations.md names them.
  expect(labels("postern_mail_replies_total")).toEqual(["DATA", "DATA", "DATA", "RCPT"]);
  expect(labels("postern_token_cache_lookups_total")).toEqual(["hit", "miss"]);
  expect(labels("postern_contention_retries_total")).toHaveLength(1);
  expect(labels("postern_rate_limit_uncounted_total")).toHaveLength(1);
  const operations = labels("postern_store_failures_total");
  expect(operations).toContain("aliases.save");
  expect(operations).toContain("ping");
});

test("every operation of the store is forwarded with its result, and measured under its own name", async () => {
  const called: unknown[] = [];
  const recorded: string[] = [];
  const spied =
    (path: string) =>
    async (...input: unknown[]) => {
      called.push([path, input]);
      return ok(path);
    };
  const spies = (names: readonly string[], prefix: string) =>
    Object.fromEntries(names.map((name) => [name, spied(prefix + name)]));
  const { aliases, recipients, contacts, blockedSenders, messageLog, resends, ...rest } = memoryStore();
  const { handedReports, webhooks, outbox, apiKeys, mailLedger, creations, suspensions, ...own } = rest;
  const spy = {
    aliases: spies(Object.keys(aliases), "aliases."),
    recipients: spies(Object.keys(recipients), "recipients."),
    contacts: spies(Object.keys(contacts), "contacts."),
    blockedSenders: spies(Object.keys(blockedSenders), "blockedSenders."),
    messageLog: spies(Object.keys(messageLog), "messageLog."),
    resends: spies(Object.keys(resends), "resends."),
    handedReports: spies(Object.keys(handedReports), "handedReports."),
    webhooks: spies(Object.keys(webhooks), "webhooks."),
    outbox: spies(Object.keys(outbox), "outbox."),
    apiKeys: spies(Object.keys(apiKeys), "apiKeys."),
    mailLedger: spies(Object.keys(mailLedger), "mailLedger."),
    creations: spies(Object.keys(creations), "creations."),
    suspensions: spies(Object.keys(suspensions), "suspensions."),
    ...spies(Object.keys(own), ""),
  };
  const opened: string[] = [];
  const measured = measuredStore(spy as unknown as Store, {
    storeOpened: (operations) => opened.push(...operations),
    storeCalled: (operation, outcome) => recorded.push(`${operation} ${outcome}`),
  });
  const {
    aliases: measuredAliases,
    recipients: measuredRecipients,
    contacts: measuredContacts,
    blockedSenders: measuredBlockedSenders,
    messageLog: measuredLog,
    resends: measuredResends,
    handedReports: measuredReports,
    webhooks: measuredWebhooks,
    outbox: measuredOutbox,
    apiKeys: measuredApiKeys,
    mailLedger: measuredLedger,
    creations: measuredCreations,
    suspensions: measuredSuspensions,
    ...others
  } = measured;
  const operations = new Map<string, unknown>([
    ...Object.entries(measuredAliases).map(([name, call]) => [`aliases.${name}`, call] as const),
    ...Object.entries(measuredRecipients).map(([name, call]) => [`recipients.${name}`, call] as const),
    ...Object.entries(measuredContacts).map(([name, call]) => [`contacts.${name}`, call] as const),
    ...Object.entries(measuredBlockedSenders).map(
      ([name, call]) => [`blockedSenders.${name}`, call] as const,
    ),
    ...Object.entries(measuredLog).map(([name, call]) => [`messageLog.${name}`, call] as const),
    ...Object.entries(measuredResends).map(([name, call]) => [`resends.${name}`, call] as const),
    ...Object.entries(measuredReports).map(([name, call]) => [`handedReports.${name}`, call] as const),
    ...Object.entries(measuredWebhooks).map(([name, call]) => [`webhooks.${name}`, call] as const),
    ...Object.entries(measuredOutbox).map(([name, call]) => [`outbox.${name}`, call] as const),
    ...Object.entries(measuredApiKeys).map(([name, call]) => [`apiKeys.${name}`, call] as const),
    ...Object.entries(measuredLedger).map(([name, call]) => [`mailLedger.${name}`, call] as const),
    ...Object.entries(measuredCreations).map(([name, call]) => [`creations.${name}`, call] as const),
    ...Object.entries(measuredSuspensions).map(([name, call]) => [`suspensions.${name}`, call] as const),
    ...Object.entries(others),
  ]);
  expect([...operations.keys()].toSorted()).toEqual(
    [
      ...Object.keys(aliases).map((name) => `aliases.${name}`),
      ...Object.keys(recipients).map((name) => `recipients.${name}`),
      ...Object.keys(contacts).map((name) => `contacts.${name}`),
      ...Object.keys(blockedSenders).map((name) => `blockedSenders.${name}`),
      ...Object.keys(messageLog).map((name) => `messageLog.${name}`),
      ...Object.keys(resends).map((name) => `resends.${name}`),
      ...Object.keys(handedReports).map((name) => `handedReports.${name}`),
      ...Object.keys(webhooks).map((name) => `webhooks.${name}`),
      ...Object.keys(outbox).map((name) => `outbox.${name}`),
      ...Object.keys(apiKeys).map((name) => `apiKeys.${name}`),
      ...Object.keys(mailLedger).map((name) => `mailLedger.${name}`),
      ...Object.keys(creations).map((name) => `creations.${name}`),
      ...Object.keys(suspensions).map((name) => `suspensions.${name}`),
      ...Object.keys(own),
    ].toSorted(),
  );
  expect(opened).toEqual([...operations.keys()]);
  for (const [name, call] of operations) {
    const result: unknown = await (call as (...input: unknown[]) => Promise<unknown>)(name, 1, 2);
    expect(result).toEqual(ok(name));
  }
  expect(called).toEqual([...operations.keys()].map((name) => [name, [name, 1, 2]]));
  expect(recorded).toEqual([...operations.keys()].map((name) => `${name} ok`));
});

test("counts a retry after a conflict", async () => {
  const store = memoryStore();
  let conflicts = 1;
  const contended: Store = {
    ...store,
    recipients: {
      ...store.recipients,
      create: async (...input) => {
        conflicts -= 1;
        return conflicts >= 0 ? err({ code: "conflict" }) : store.recipients.create(...input);
      },
    },
  };
  const configuration = configurationWith({ POSTERN_METRICS_PORT: "0" });
  const composition = valueOf(await compose(configuration, { store: contended }));
  onTestFinished(() => composition.close());
  const service = composition.postern;
  valueOf(await service.adoptRecipient({ account: "ada", email: "ada@example.com" }));
  valueOf(await service.adoptRecipient({ account: "ada", email: "other@example.com" }));
  expect(await composition.metrics.text()).toContain("postern_contention_retries_total 1\n");
});

test("a stopped listener frees its port", async () => {
  const address = { host: "127.0.0.1", port: await freePort() };
  const first = await serveMetrics(prometheusMetrics(), address);
  await expect(serveMetrics(prometheusMetrics(), address)).rejects.toMatchObject({ code: "EADDRINUSE" });
  await (await fetch(`http://127.0.0.1:${address.port}/metrics`)).text();
  await first.stop();
  const second = await serveMetrics(prometheusMetrics(), address);
  await second.stop();
});
