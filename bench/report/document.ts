import { readFileSync, writeFileSync } from "node:fs";
import { chart } from "./chart.ts";
import { markdown } from "./markdown.ts";
import type { Report } from "./report.ts";

const at = (path: string): URL => new URL(`../../docs/${path}`, import.meta.url);

export const DOCUMENT = at("benchmarks.md");
export const DATA = at("benchmarks.json");
const CHART = "images/benchmarks.svg";

const GENERATED = /^<!-- bench: written by `pnpm bench` -->\n.*?^<!-- bench: end -->$/ms;

/**
 * The document with this run between its markers. Hand-written text is outside of them, and stays.
 *
 * @throws Error if there are no markers
 */
export const withReport = (document: string, report: Report): string => {
  if (!GENERATED.test(document)) throw new Error("The document has no markers of `pnpm bench`");
  return document.replace(GENERATED, () =>
    ["<!-- bench: written by `pnpm bench` -->", markdown(report, CHART), "<!-- bench: end -->"].join("\n\n"),
  );
};

/** Writes docs/benchmarks.md, its chart, and docs/benchmarks.json. */
export const writeReport = (report: Report): void => {
  writeFileSync(DATA, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(at(CHART), chart(report));
  writeFileSync(DOCUMENT, withReport(readFileSync(DOCUMENT, "utf8"), report));
};
