import { isThorough, type Report, type Rounds } from "./report.ts";
import { type Goal, isMet, type Row } from "./row.ts";
import { median } from "./statistics.ts";

/** Three significant digits, without an exponent. */
const figure = (value: number): string =>
  Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : value.toLocaleString("en-US", { maximumSignificantDigits: 3 });

export const withUnit = (value: number, unit: Goal["unit"]): string =>
  unit === "" ? figure(value) : `${figure(value)} ${unit}`;

export const goalText = ({ bound, value, unit }: Goal): string =>
  `${bound === "at least" ? "≥" : "≤"} ${withUnit(value, unit)}`;

/** Columns of even width, as the formatter would make them. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
};

const GOALS = ["path", "measured as", "goal", "result", "middle half", ""] as const;

const goalCells = (row: Row): readonly string[] => [
  row.path,
  row.what,
  goalText(row.goal),
  withUnit(row.result, row.goal.unit),
  row.spread.map(figure).join(" – "),
  isMet(row) ? "met" : "**missed**",
];

/** In the document only: no run measures it. */
const BY_HAND = [
  "`npx -y pnpm@12 test`",
  "duration on two cores",
  "≤ 4 minutes",
  "[by hand](#not-part-of-a-run)",
  "",
  "",
];

const roundsTable = (rounds: readonly Rounds[]): string =>
  table(
    ["", "requests/s", "CPU per request", "p50", "p99", "peak RSS", "client CPU"],
    rounds.map(({ name, rate, cpu, p50, p99, peakRss, loadCpu }) => [
      name,
      figure(median(rate)),
      `${figure(median(cpu))} µs`,
      `${figure(median(p50))} ms`,
      `${figure(median(p99))} ms`,
      `${figure(Math.max(...peakRss) / 1e6)} MB`,
      `${Math.round(median(loadCpu) * 100)} %`,
    ]),
  );

const details = ({ about, measured, failure }: Report["paths"][number]): string =>
  [
    `### ${about}`,
    ...(failure === null ? [] : [`**Not measured**: ${failure}`]),
    ...(measured === null || measured.rounds.length === 0 ? [] : [roundsTable(measured.rounds)]),
    ...(measured?.note === undefined ? [] : [measured.note]),
  ].join("\n\n");

export const rowsOf = ({ paths }: Pick<Report, "paths">): readonly Row[] =>
  paths.flatMap(({ measured }) => measured?.rows ?? []);

/**
 * A run as Markdown.
 *
 * @param chart the path of the chart, from the document; none by default
 */
export const markdown = (report: Report, chart?: string): string => {
  const { date, effort, facts, paths } = report;
  const rows = rowsOf(report);
  const met = rows.filter(isMet).length;
  const about = `${effort.rounds} rounds of ${effort.seconds} s for each contender`;
  const reliable = isThorough(effort)
    ? `Measured on ${date}: ${about}.`
    : `**A quick run on ${date}, to check that everything works: ${about}. Do not rely on its figures.**`;
  return [
    reliable,
    facts.map((fact) => `- ${fact}`).join("\n"),
    `Of ${rows.length} goals, ${met} are met and ${rows.length - met} missed.`,
    ...(chart === undefined ? [] : [`![The results as multiples of the goals](${chart})`]),
    table(GOALS, [...rows.map(goalCells), ...(chart === undefined ? [] : [BY_HAND])]),
    ...paths
      .filter(({ measured, failure }) => failure !== null || measured?.note || measured?.rounds.length)
      .map(details),
  ].join("\n\n");
};
