import { descriptions, fileVariable, secretNames } from "../packages/server/src/configuration/variables.ts";

const BEGIN = "<!-- environment: written by `pnpm environment` -->";
const END = "<!-- environment: end -->";

/** Those that name a file with a secret: in the line of the secret. */
const files = new Set([...secretNames].map(fileVariable));

/** All variables as a Markdown list. */
const environmentList = (): string =>
  descriptions
    .filter(({ name }) => !files.has(name))
    .map(({ name, unset, meaning }) => {
      const names = `\`${name}\`${secretNames.has(name) ? ", `…_FILE`" : ""}`;
      return `- ${names} (${unset}): ${meaning}`;
    })
    .join("\n");

/** The document with the list between its markers regenerated. */
export const withEnvironment = (document: string): string => {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error("The document has no markers for the variables");
  return `${document.slice(0, begin)}${BEGIN}\n\n${environmentList()}\n\n${document.slice(end)}`;
};
