import { styleText } from "node:util";
import truncated from "fast-string-truncated-width";
import { printable } from "./printable.ts";

type Style = Parameters<typeof styleText>[0];

export type Column<T> = {
  readonly title: string;
  readonly text: (row: T) => string;
  readonly style?: (row: T) => Style;
  /** It is what people copy: others are cut first. */
  readonly whole?: boolean;
};

const GAP = "  ";
const ELLIPSIS = "…";

/** How many columns of a terminal the text takes. */
const widthOf = (text: string): number => truncated(text).width;

/** The text in exactly this many columns of a terminal: padded, or cut between two characters. */
export const fitted = (text: string, width: number): string => {
  const missing = width - widthOf(text);
  if (missing >= 0) return text + " ".repeat(missing);
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(cut + segment) > width - ELLIPSIS.length) break;
    cut += segment;
  }
  return `${cut}${ELLIPSIS}${" ".repeat(Math.max(0, width - ELLIPSIS.length - widthOf(cut)))}`;
};

/**
 * Narrows columns until they fit, always the widest: first those that may be cut, down to 8 characters, then all of them, down to 1. On a
 * terminal too narrow even for that, lines wrap.
 *
 * @param room what is left for all columns, without the gaps between them
 */
export const fittedWidths = (
  wanted: readonly number[],
  whole: readonly boolean[],
  room: number,
): readonly number[] => {
  const widths = [...wanted];
  const widest = (least: number, candidates: (n: number) => boolean): number =>
    widths.reduce((found, width, n) => {
      const isWider = width > least && candidates(n) && width > (widths[found] ?? 0);
      return isWider ? n : found;
    }, -1);
  for (let excess = widths.reduce((a, b) => a + b, 0) - room; excess > 0; excess -= 1) {
    const first = widest(8, (n) => whole[n] !== true);
    const n = first === -1 ? widest(1, () => true) : first;
    if (n === -1) break;
    widths[n] = (widths[n] ?? 1) - 1;
  }
  return widths;
};

/** Writes rows as lines of a table that is as wide as a terminal. The first ones decide how wide each column is at least. */
export const tableOf = <T>(columns: readonly Column<T>[], terminalWidth: number) => {
  let wanted: readonly number[] = columns.map(({ title }) => widthOf(title));
  const room = terminalWidth - GAP.length * (columns.length - 1);
  const lineOf = (cells: readonly string[]): string => cells.join(GAP).trimEnd();
  return {
    /** The lines for more rows, with the titles above them if they are the first ones. */
    lines: (rows: readonly T[], withTitles: boolean): readonly string[] => {
      const texts = rows.map((row) => columns.map(({ text }) => printable(text(row))));
      wanted = wanted.map((width, n) => Math.max(width, ...texts.map((cells) => widthOf(cells[n] ?? ""))));
      const widths = fittedWidths(
        wanted,
        columns.map(({ whole }) => whole === true),
        room,
      );
      const titles = columns.map(({ title }, n) => styled("dim", fitted(title, widths[n] ?? 0)));
      const body = rows.map((row, r) =>
        lineOf(
          columns.map(({ style }, n) => {
            const cell = fitted(texts[r]?.[n] ?? "", widths[n] ?? 0);
            return style === undefined ? cell : styled(style(row), cell);
          }),
        ),
      );
      return withTitles ? [lineOf(titles), ...body] : body;
    },
  };
};

/** A row as one line for other programs: its fields whole, separated by tabs. */
export const fieldsOf = <T>(columns: readonly Column<T>[], row: T): string =>
  columns.map(({ text }) => printable(text(row))).join("\t");

/** Text with a color, where standard output is a terminal that has some, and `NO_COLOR` is not set. */
export const styled = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });
