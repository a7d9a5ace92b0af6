import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withEnvironment } from "../../../scripts/environment-list.ts";
import { descriptions } from "../src/configuration/variables.ts";

const operations = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

test("docs/operations.md lists the current variables", () => {
  // If this fails: npx -y pnpm@12 environment
  expect(operations).toBe(withEnvironment(operations));
});

test("every variable has a line", () => {
  const [, list = ""] = operations.split("<!-- environment: ");
  for (const { name, unset, meaning } of descriptions) {
    const secret = name.replace(/_FILE$/, "");
    const line = list.split("\n").find((line) => line.startsWith(`- \`${secret}\``));
    expect(line).toContain(name === secret ? ` (${unset}): ${meaning}` : `\`${secret}\`, \`…_FILE\` (`);
  }
});

test("rejects a document without markers for the variables", () => {
  expect(() => withEnvironment("# Operations\n")).toThrow("has no markers for the variables");
});
