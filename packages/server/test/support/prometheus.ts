import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@postern/test-support/free-port";
import { newDirectory } from "@postern/test-support/new-directory";
import { onTestFinished } from "vitest";
import * as z from "zod";

/** The files that operators copy. */
export const DEPLOY = fileURLToPath(new URL("../../../../deploy", import.meta.url));

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Every duration in a configuration or rules, such as `5m`, divided by `speed`. The names of recorded series stay as they are. */
const faster = (text: string, speed: number): string =>
  text.replaceAll(/(?<!\w)(\d+)([smhd])\b/g, (_, count: string, unit: keyof typeof UNIT_MS) => {
    const milliseconds = (Number(count) * UNIT_MS[unit]) / speed;
    return `${Math.round(milliseconds)}ms`;
  });

const Alert = z.object({
  labels: z.object({ alertname: z.string(), instance: z.string().optional() }),
  state: z.enum(["pending", "firing"]),
});
const Alerts = z.object({ data: z.object({ alerts: z.array(Alert) }) });

const Rule = z.discriminatedUnion("type", [
  z.object({ type: z.literal("recording"), name: z.string(), query: z.string() }),
  z.object({
    type: z.literal("alerting"),
    name: z.string(),
    query: z.string(),
    duration: z.number(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
  }),
]);
const Rules = z.object({ data: z.object({ groups: z.array(z.object({ rules: z.array(Rule) })) }) });

const Answer = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("success"),
    data: z.object({
      resultType: z.literal("vector"),
      result: z.array(
        z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
      ),
    }),
  }),
  z.object({ status: z.literal("error"), error: z.string() }),
]);

/**
 * Prometheus with the configuration and the rules in `deploy`, which scrapes these addresses instead of the configured one.
 * It stops with the test.
 *
 * @param options.speed how many times as fast as configured it scrapes and evaluates, and alerts count time
 */
export const startPrometheus = async (targets: readonly string[], { speed }: { readonly speed: number }) => {
  const directory = newDirectory();
  cpSync(join(DEPLOY, "prometheus"), directory, { recursive: true });
  const configuration = join(directory, "prometheus.yml");
  const target = '- targets: ["127.0.0.1:9464"]';
  const configured = readFileSync(configuration, "utf8");
  if (!configured.includes(target)) throw new Error(`prometheus.yml has no line ${target}`);
  writeFileSync(
    configuration,
    faster(configured.replace(target, `- targets: ${JSON.stringify(targets)}`), speed),
  );
  for (const name of readdirSync(join(directory, "rules"))) {
    const path = join(directory, "rules", name);
    writeFileSync(path, faster(readFileSync(path, "utf8"), speed));
  }

  const address = `127.0.0.1:${await freePort()}`;
  const prometheus = spawn(
    "prometheus",
    [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(directory, "data")}`,
      `--web.listen-address=${address}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let output = "";
  prometheus.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(prometheus, "close");
  onTestFinished(async () => {
    prometheus.kill("SIGKILL");
    await ended;
  });
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (prometheus.exitCode !== null) throw new Error(`Prometheus did not start: ${output}`);
    await setTimeout(50);
  }

  const get = async (path: string): Promise<unknown> =>
    (await fetch(`http://${address}/api/v1/${path}`)).json();
  return {
    /** The alerts that are pending or firing. */
    alerts: async () => Alerts.parse(await get("alerts")).data.alerts,
    /** All loaded rules. */
    rules: async () => Rules.parse(await get("rules")).data.groups.flatMap(({ rules }) => rules),
    /** The series that an expression selects now, or why it is not valid. */
    query: async (expression: string) =>
      Answer.parse(await get(`query?${new URLSearchParams({ query: expression })}`)),
  };
};
