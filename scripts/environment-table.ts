import { descriptions, fileVariable, secretNames } from "../packages/server/src/configuration/variables.ts";

const BEGIN = "<!-- environment: written by `pnpm environment` -->";
const END = "<!-- environment: end -->";

/** Those that name a file with a secret: in the row of the secret. */
const files = new Set([...secretNames].map(fileVariable));

/** All variables as a Markdown table. */
const environmentTable = (): string => {
  const rows = [
    ["variable", "if not set", "meaning"],
    ...descriptions
      .filter(({ name }) => !files.has(name))
      .map(({ name, unset, meaning }) => [
        `\`${name}\`${secretNames.has(name) ? ", `…_FILE`" : ""}`,
        unset,
        meaning,
      ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
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
