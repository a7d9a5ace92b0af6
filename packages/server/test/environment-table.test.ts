import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withEnvironmentTable } from "../../../scripts/environment-table.ts";
import { descriptions } from "../src/configuration/variables.ts";

const operations = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

test("docs/operations.md lists the current variables", () => {
  // If this fails: npx -y pnpm@12 environment
  expect(operations).toBe(withEnvironmentTable(operations));
});

test("every variable has a row", () => {
  const lines = operations.slice(operations.indexOf("<!-- environment:")).split("\n");
  for (const { name, unset, meaning } of descriptions) {
    const secret = name.replace(/_FILE$/, "");
    const row = lines.find((line) => line.startsWith(`| \`${secret}\``));
    if (name !== secret) {
      expect(row).toContain(`| \`${secret}\`, \`…_FILE\` `);
      continue;
    }
    expect(row).toContain(`| ${unset}`);
    expect(row).toContain(`| ${meaning}`);
  }
});

test("rejects a document without markers for the table", () => {
  expect(() => withEnvironmentTable("# Operations\n")).toThrow("has no markers for the table");
});
