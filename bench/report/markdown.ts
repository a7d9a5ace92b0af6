import { markdownTable } from "../../scripts/markdown-table.ts";
import { isThorough, type Report } from "./report.ts";
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

/** The path is left out where the row above has the same one. */
const goalCells = (row: Row, index: number, rows: readonly Row[]): readonly string[] => {
  const result = withUnit(row.result, row.goal.unit);
  const path = row.path === rows[index - 1]?.path ? "" : row.path;
  return [path, `${row.what} ${goalText(row.goal)}`, isMet(row) ? result : `**${result}**`];
};

/** In the document only: no run measures it. */
const BY_HAND = [
  "`npx -y pnpm@12 test`",
  "duration on two cores ≤ 4 minutes",
  "[by hand](#not-part-of-a-run)",
];

/** What each contender did, the paths below each other. */
const figures = (paths: Report["paths"]): string =>
  markdownTable(
    ["path", "server", "requests/s", "CPU", "p50", "p99", "memory"],
    paths.flatMap(({ name, measured }) =>
      (measured?.rounds ?? []).map(({ name: server, rate, cpu, p50, p99, peakRss }, index) => [
        index === 0 ? (measured?.rows[0]?.path ?? name) : "",
        server,
        figure(median(rate)),
        `${figure(median(cpu))} µs`,
        `${figure(median(p50))} ms`,
        `${figure(median(p99))} ms`,
        `${figure(Math.max(...peakRss) / 1e6)} MB`,
      ]),
    ),
  );

/** What is to be said about a path besides its figures. */
const details = ({ about, measured, failure }: Report["paths"][number]): string => {
  const note = measured?.note ?? "";
  return [
    `- ${about}.`,
    ...(failure === null ? [] : [` **Not measured**: ${failure}.`]),
    ...(note === "" ? [] : [note.startsWith("- ") ? "\n" : " ", note]),
  ]
    .join("")
    .replaceAll("\n", "\n  ");
};

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
    `${facts.join("; ")}.`,
    `Of ${rows.length} goals, ${met} are met. The results of the others are bold.`,
    ...(chart === undefined ? [] : [`![The results as multiples of the goals](${chart})`]),
    markdownTable(
      ["path", "goal", "result"],
      [...rows.map(goalCells), ...(chart === undefined ? [] : [BY_HAND])],
    ),
    figures(paths),
    paths
      .filter(({ measured, failure }) => failure !== null || measured?.note)
      .map(details)
      .join("\n"),
  ].join("\n\n");
};
