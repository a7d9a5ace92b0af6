import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** The permissions that this row of docs/dynamodb.md lists, in alphabetical order. */
export const documentedRights = (row: string): readonly string[] => {
  const document = readFileSync(new URL("../../../../docs/dynamodb.md", import.meta.url), "utf8");
  const [, section = ""] = document.split("\n## Permissions\n");
  const [line = expect.unreachable(`there is no row ${row}`)] = section
    .split("\n")
    .filter((each) => each.startsWith(`| ${row}`));
  return [...line.matchAll(/`dynamodb:(\w+)`/g)].map(([, action = ""]) => action).toSorted();
};
