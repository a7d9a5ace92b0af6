import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withEnvironmentTable } from "../../../scripts/environment-table.ts";
import { descriptions } from "../src/configuration/variables.ts";

const operations = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

test("docs/operations.md lists the variables as they are", () => {
  // If this fails: node packages/server/src/environment-command.ts
  expect(operations).toBe(withEnvironmentTable(operations));
});

test("each variable has its row", () => {
  for (const { name, unset, meaning } of descriptions) {
    const row = operations.split("\n").find((line) => line.startsWith(`| \`${name}\``));
    expect(row).toContain(`| ${unset}`);
    expect(row).toContain(`| ${meaning}`);
  }
});

test("a document without a place for the table is refused", () => {
  expect(() => withEnvironmentTable("# Operations\n")).toThrow("has no place for the table");
});
