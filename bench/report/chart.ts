import { goalText, rowsOf, withUnit } from "./markdown.ts";
import type { Report } from "./report.ts";
import { isMet, type Row } from "./row.ts";

/*
 * The results as bars: each one shows how many times as good as its goal a result is, so a bar that reaches the line meets
 * its goal. The scale is logarithmic: twice as good and half as good are the same distance from the line.
 */

const WIDTH = 1040;
const ROW = 24;
const TOP = 40;
/** Where the bars begin, where the line of the goals is, and where they end. */
const [LEFT, GOAL, RIGHT] = [530, 740, 870];
const WORST = 1 / 100;
const BEST = WORST ** -((RIGHT - GOAL) / (GOAL - LEFT));

const STYLE = `
  text { font: 12.5px system-ui, sans-serif; fill: #1b212c; }
  .quiet { fill: #4f5866; }
  .met { fill: #1a7f4b; }
  .missed { fill: #c2571a; }
  .goal { stroke: #1b212c; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e9ecf1; }
    .quiet { fill: #abb4c2; }
    .met { fill: #4cc38a; }
    .missed { fill: #f0904f; }
    .goal { stroke: #e9ecf1; }
  }
`;

/** How many times as good as the goal. */
export const goodness = ({ goal: { bound, value }, result }: Pick<Row, "goal" | "result">): number =>
  bound === "at least" ? result / value : value / result;

/** Where a bar of this length ends; one that is too long to show ends at the edge. */
const placeOf = (times: number): number => {
  const shown = Math.min(Math.max(times, WORST), BEST);
  return GOAL + (Math.log(shown) / -Math.log(WORST)) * (GOAL - LEFT);
};

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const bar = (row: Row, n: number): string => {
  const y = TOP + n * ROW;
  const middle = y + ROW / 2 + 4;
  const width = placeOf(goodness(row)) - LEFT;
  const label = `${row.path}: ${row.what}`;
  const kind = isMet(row) ? "met" : "missed";
  return [
    `<text x="${LEFT - 10}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${kind}" x="${LEFT}" y="${y + 4}" width="${Math.max(width, 2).toFixed(1)}" height="${ROW - 8}" rx="2"/>`,
    `<text class="quiet" x="${RIGHT + 8}" y="${middle}">${escaped(`${withUnit(row.result, row.goal.unit)} (${goalText(row.goal)})`)}</text>`,
  ].join("\n");
};

/** A run as an SVG image, for light and dark backgrounds. */
export const chart = (report: Report): string => {
  const rows = rowsOf(report);
  const height = TOP + rows.length * ROW + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>How the results compare to the goals, on a logarithmic scale</title>
<style>${STYLE}</style>
<text class="quiet" x="${GOAL}" y="20" text-anchor="middle">goal</text>
<text class="quiet" x="${placeOf(1 / 10)}" y="20" text-anchor="middle">a tenth</text>
<text class="quiet" x="${RIGHT + 8}" y="20">result (goal)</text>
${rows.map(bar).join("\n")}
<line class="goal" x1="${GOAL}" x2="${GOAL}" y1="${TOP - 12}" y2="${height - 6}"/>
</svg>
`;
};
