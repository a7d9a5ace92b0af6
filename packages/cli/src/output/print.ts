import { printable, printableJson } from "./printable.ts";
import { type Column, fieldsOf, styled, tableOf } from "./table.ts";
import { say, write } from "./write.ts";

/** How a kind of thing is shown. */
export type View<T> = {
  /** What names it on a command line: its address or id. */
  readonly name: (item: T) => string;
  readonly columns: readonly Column<T>[];
  /** What is shown of a single one besides. Null is not shown. */
  readonly details: readonly (readonly [label: string, text: (item: T) => string | null])[];
};

/** How the person who runs the program wants to see its results. */
type Format = {
  /** What the API gave, as JSON: one object a line. */
  readonly json?: true | undefined;
  /** Only what names each thing, and nothing on standard error. */
  readonly quiet?: true | undefined;
};

/** How many rows are held until they are written: their columns are aligned. */
const BATCH = 100;

const DEFAULT_WIDTH = 80;

/** Writes rows as they arrive: a table on a terminal; otherwise one line each for other programs, with no titles. */
export const printList = async <T>(
  { name, columns }: View<T>,
  items: AsyncIterable<T> | Iterable<T>,
  { json, quiet, limit = Number.POSITIVE_INFINITY }: Format & { readonly limit?: number | undefined },
): Promise<void> => {
  const lineOf = (item: T): string => {
    if (json) return printableJson(item);
    return quiet ? printable(name(item)) : fieldsOf(columns, item);
  };
  const isTable = process.stdout.isTTY && !json && !quiet;
  const table = tableOf(columns, process.stdout.columns || DEFAULT_WIDTH);
  let batch: T[] = [];
  let count = 0;
  const flush = async () => {
    const lines = isTable ? table.lines(batch, count === batch.length) : batch.map(lineOf);
    if (batch.length > 0) await write(`${lines.join("\n")}\n`);
    batch = [];
  };
  if (limit > 0)
    for await (const item of items) {
      batch.push(item);
      count += 1;
      if (batch.length === BATCH) await flush();
      if (count >= limit) break;
    }
  await flush();
  if (isTable && count === 0) say("There are none.");
};

/** Writes everything about one thing. */
export const printItem = async <T>(view: View<T>, item: T, { json, quiet }: Format): Promise<void> => {
  if (json) return write(`${printableJson(item)}\n`);
  if (quiet) return write(`${printable(view.name(item))}\n`);
  const details = [
    ...view.columns.map(({ title, text }) => [title.toLowerCase(), text] as const),
    ...view.details,
  ].flatMap(([label, text]) => {
    const value = text(item);
    return value === null || value === "" ? [] : [[label, value] as const];
  });
  const width = Math.max(...details.map(([label]) => label.length)) + 1;
  const lines = details.map(
    ([label, value]) => `${styled("dim", `${label}:`.padEnd(width))} ${printable(value)}\n`,
  );
  return write(lines.join(""));
};

/** Says that something was done, on standard error; with `--json`, writes what the API gave, if it gave anything. */
export const printDone = async (said: string, item: unknown, { json, quiet }: Format): Promise<void> => {
  if (!json) return quiet ? undefined : say(said);
  if (item !== null) await write(`${printableJson(item)}\n`);
};

/** Says that something was created, and writes what names it. */
export const printCreated = async <T>(
  { name }: Pick<View<T>, "name">,
  said: string,
  item: T,
  { json, quiet }: Format,
): Promise<void> => {
  await write(`${json ? printableJson(item) : printable(name(item))}\n`);
  if (!json && !quiet) say(said);
};
