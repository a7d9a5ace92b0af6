import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENVIRONMENT_FILE, environmentFile } from "../../../scripts/environment-file.ts";
import { descriptions } from "../src/configuration/variables.ts";

const file = readFileSync(ENVIRONMENT_FILE, "utf8");

test("deploy/release/postern.env.example has the current variables", () => {
  // If this fails: npx -y pnpm@12 environment
  expect(file).toBe(environmentFile());
});

test("every variable is explained once", () => {
  for (const { name, unset, meaning, example } of descriptions) {
    const [about = "", ...others] = file
      .split("\n\n")
      .filter((part) => RegExp(`^#?${name}=`, "m").test(part));
    expect([name, others]).toEqual([name, []]);
    expect(about).toContain(`# ${meaning}\n# ${unset}`);
    expect(about).toContain(example);
  }
});
