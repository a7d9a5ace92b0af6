import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withReleased } from "../../../scripts/changelog.ts";

const changelog = readFileSync(new URL("../../../CHANGELOG.md", import.meta.url), "utf8");

test("CHANGELOG.md can be released", () => {
  const released = withReleased(
    changelog.replace("## Unreleased\n", "## Unreleased\n\n- Something.\n"),
    "9.8.7",
  );
  expect(released).toContain("## Unreleased\n\n## 9.8.7\n\n- Something.\n");
});

test("a version that the changelog says nothing about is not released", () => {
  const released = withReleased("# Changelog\n\n## Unreleased\n\n- A.\n\n## 1.0.0\n\n- B.\n", "1.1.0");
  expect(released).toBe("# Changelog\n\n## Unreleased\n\n## 1.1.0\n\n- A.\n\n## 1.0.0\n\n- B.\n");
  expect(() => withReleased(released, "1.2.0")).toThrow("says nothing");
  expect(() => withReleased("# Changelog\n\n## Unreleased\n", "1.2.0")).toThrow("says nothing");
  expect(() => withReleased("# Changelog\n", "1.2.0")).toThrow("no section Unreleased");
});
