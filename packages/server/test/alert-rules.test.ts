import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runsWhole } from "@postern/test-support/runs-whole";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { startMeasuredHere } from "./support/measured-server.ts";
import { DEPLOY, startPrometheus } from "./support/prometheus.ts";

/* Checks the rules and the dashboard in `deploy` against Prometheus, a server that has just started, and docs/operations.md. */

const UNIT_TESTS = fileURLToPath(new URL("./support/alerts.promtool.yml", import.meta.url));
const operations = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

const promtool = (...args: string[]): string =>
  execFileSync("promtool", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** The text from this heading to the next one of the same or a higher level. */
const section = (heading: string): string => {
  const level = heading.indexOf(" ");
  const [, after = ""] = operations.split(`\n${heading}\n`);
  const end = after.search(new RegExp(`^#{1,${level}} `, "m"));
  return end < 0 ? after : after.slice(0, end);
};

/** The link fragments of the document's headings, as GitHub generates them. */
const anchors = new Set(
  [...operations.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  ),
);

/** A server that no request has reached, and Prometheus, which has scraped it. */
const start = async () => {
  const { metrics, scrape } = await startMeasuredHere();
  const text = await scrape();
  const prometheus = await startPrometheus([new URL(metrics).host], { speed: 30 });
  const up = async () => {
    const answer = await prometheus.query('up{job="postern"}');
    return answer.status === "success" && answer.data.result.map(({ value }) => value[1]);
  };
  await expect.poll(up).toEqual(["1"]);
  const exported = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return {
    prometheus,
    exported,
    metrics: [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name),
  };
};

/** The names of the series in an expression; names that rules record contain colons. */
const seriesIn = (expression: string) => ({
  selectors: [...expression.matchAll(/(?<![\w:])(up|(?:postern|nodejs|process)_\w+)(\{[^}]*\})?/g)].map(
    ([selector, name = "", labels = ""]) => ({ selector, name, labels }),
  ),
  recorded: [...expression.matchAll(/\b[a-z_]+:[\w:]+/g)].map(([name]) => name),
});

const Target = z.object({
  refId: z.string(),
  datasource: z.object({ type: z.literal("prometheus"), uid: z.string().regex(/^\$\{datasource\}$/) }),
  expr: z.string(),
});
const GridPosition = z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() });
const Panel = z.discriminatedUnion("type", [
  z.object({ type: z.literal("row"), id: z.number(), title: z.string(), gridPos: GridPosition }),
  z.object({
    type: z.literal("timeseries"),
    id: z.number(),
    title: z.string(),
    gridPos: GridPosition,
    datasource: Target.shape.datasource,
    fieldConfig: z.object({ defaults: z.object({ unit: z.string() }), overrides: z.tuple([]) }),
    targets: z.array(Target).min(1),
  }),
]);
const Dashboard = z.object({
  // Grafana assigns one when the dashboard is imported.
  id: z.null(),
  uid: z.literal("postern"),
  title: z.string(),
  // That of Grafana 9. Newer versions convert it.
  schemaVersion: z.literal(37),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
  panels: z.array(Panel),
});
const dashboard = Dashboard.parse(JSON.parse(readFileSync(join(DEPLOY, "grafana", "postern.json"), "utf8")));
const expressions = dashboard.panels.flatMap((panel) =>
  panel.type === "row" ? [] : panel.targets.map(({ expr }) => expr),
);

describe("promtool", () => {
  test("accepts the configuration and the rules", () => {
    const output = promtool("check", "config", "--lint-fatal", join(DEPLOY, "prometheus", "prometheus.yml"));
    expect(output).toContain("2 rule files found");
  });

  // Takes 8 seconds of CPU time.
  test.runIf(runsWhole(import.meta.url))(
    "finds that each alert fires when it should, and that no other one does",
    () => void expect(promtool("test", "rules", UNIT_TESTS)).toContain("SUCCESS"),
  );

  test("has a test of every alert", () => {
    const rules = readFileSync(join(DEPLOY, "prometheus", "rules", "postern-alerts.yml"), "utf8");
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const fired = readFileSync(UNIT_TESTS, "utf8").matchAll(/alertname="(\w+)"/g);
    expect(new Set([...fired].map(([, name]) => name))).toEqual(new Set(alerts));
  });
});

test("docs/operations.md lists the alerts of the rules, and they link to it", async () => {
  const rules = await (await startPrometheus([], { speed: 1 })).rules();
  const alerts = rules.filter((rule) => rule.type === "alerting");
  const [, ...groups] = section("### Alerts, and what to do").split(/^\*\*(?=[A-Z])/m);
  const listed = groups.flatMap((group) => {
    const severity = /^\w+/.exec(group)?.[0].toLowerCase();
    return [...group.matchAll(/^- `(Postern\w+)`: /gm)].map(([, name]) => [name, severity]);
  });
  expect(listed.toSorted()).toEqual(alerts.map(({ name, labels }) => [name, labels["severity"]]).toSorted());
  for (const { name, labels, annotations } of alerts) {
    expect([name, ["critical", "warning", "info"].includes(labels["severity"] ?? "")]).toEqual([name, true]);
    expect(annotations).toEqual({
      summary: expect.stringMatching(/./),
      description: expect.stringMatching(/\.$/),
      runbook_url: expect.stringMatching(
        /^https:\/\/github\.com\/postern\/postern\/blob\/main\/docs\/operations\.md#/,
      ),
    });
    expect(anchors).toContain(annotations["runbook_url"]?.split("#")[1]);
  }
});

test("every series that an alert reads exists as soon as the server starts", async () => {
  const { prometheus, exported } = await start();
  const rules = await prometheus.rules();
  const recorded = rules.filter(({ type }) => type === "recording").map(({ name }) => name);
  for (const { name: rule, query } of rules) {
    const used = seriesIn(query);
    expect(recorded).toEqual(expect.arrayContaining(used.recorded));
    for (const { selector, name, labels } of used.selectors) {
      expect([rule, selector, labels.includes('job="postern"')]).toEqual([rule, selector, true]);
      if (name !== "up") expect(exported).toContain(name);
      // A quantile covers many observations: missing the first one of each route makes no difference.
      if (name.endsWith("_bucket")) continue;
      const values = async () => {
        const answer = await prometheus.query(selector);
        return new Set(answer.status === "success" ? answer.data.result.map(({ value }) => value[1]) : []);
      };
      // The keys are fetched when the server starts.
      const isZero = name.endsWith("_total") && !labels.includes('result="ok"');
      // Nothing exists for a moment if a busy machine is too late for a scrape.
      const some = isZero ? new Set(["0"]) : expect.toSatisfy((found: Set<string>) => found.size > 0);
      await expect.poll(values, { message: selector }).toEqual(some);
    }
  }
});

test("the documentation and the dashboard name all of the server's metrics, and no others", async () => {
  const { prometheus, exported, metrics } = await start();
  const documented = [...section("## Metrics").matchAll(/`((?:postern|nodejs|process)_\w+)/g)].map(
    ([, name = ""]) => name,
  );
  for (const name of documented) {
    const isExported = name.endsWith("_")
      ? metrics.some((metric) => metric.startsWith(name))
      : [...metrics, ...exported].includes(name);
    expect([name, isExported]).toEqual([name, true]);
  }
  const shown: string[] = [];
  for (const expression of expressions) {
    const { selectors, recorded } = seriesIn(expression);
    // The dashboard works without the rules too.
    expect(recorded).toEqual([]);
    for (const { selector, name, labels } of selectors) {
      expect(labels.startsWith('{job="$job", instance=~"$instance"')).toBe(true);
      if (name !== "up") expect([selector, exported.includes(name)]).toEqual([selector, true]);
      shown.push(name);
    }
    const query = expression
      .replaceAll("$__rate_interval", "1m")
      .replaceAll("$job", "postern")
      .replaceAll("$instance", ".*");
    expect(query).not.toContain("$");
    expect(await prometheus.query(query)).toMatchObject({ status: "success" });
  }
  for (const name of metrics.filter((metric) => metric.startsWith("postern_"))) {
    expect(documented).toContain(name);
    expect([name, shown.some((series) => series.startsWith(name))]).toEqual([name, true]);
  }
});

test("the dashboard has what Grafana needs", () => {
  expect(dashboard.templating.list).toMatchObject([
    { name: "datasource", type: "datasource" },
    { name: "job", type: "query" },
    { name: "instance", type: "query" },
  ]);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
});
