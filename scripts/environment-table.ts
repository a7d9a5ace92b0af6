import { descriptions } from "../packages/server/src/configuration/variables.ts";

const BEGIN = "<!-- environment: written by `pnpm environment` -->";
const END = "<!-- environment: end -->";

/** All variables as a Markdown table. */
const environmentTable = (): string => {
  const rows = [
    ["variable", "if not set", "meaning", "example"],
    ...descriptions.map(({ name, unset, meaning, example }) => [
      `\`${name}\``,
      unset,
      meaning,
      `\`${example}\``,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head = "", ...body] = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`,
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [head, rule, ...body].join("\n");
};

/** The document with the table between its markers regenerated. */
export const withEnvironmentTable = (document: string): string => {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error("The document has no markers for the table");
  return `${document.slice(0, begin)}${BEGIN}\n\n${environmentTable()}\n\n${document.slice(end)}`;
};
