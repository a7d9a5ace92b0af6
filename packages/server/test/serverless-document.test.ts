import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { COSTS_DOCUMENT } from "../../../scripts/mail-costs.ts";
import { SERVERLESS_DOCUMENT, withServerlessCosts } from "../../../scripts/serverless-costs.ts";
import { readConfiguration } from "../src/configuration/configuration.ts";
import { template } from "./support/cloudformation/our-template.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** In the order of the document. */
const COMMANDS = [
  block("docs/serverless.md", "Before you begin"),
  block("docs/serverless.md", "Certificates"),
  block("docs/serverless.md", "Certificates", 1),
  block("docs/serverless.md", "SES"),
  block("docs/serverless.md", "The program"),
  block("docs/serverless.md", "Deploying"),
  block("docs/serverless.md", "Deploying", 1),
  block("docs/serverless.md", "The browser app"),
  block("docs/serverless.md", "The first alias"),
  block("docs/serverless.md", "The first alias", 1),
  block("docs/serverless.md", "The mail server", 1),
  block("docs/serverless.md", "The mail server", 2),
  block("docs/serverless.md", "Mail without a server"),
  block("docs/serverless.md", "Mail without a server", 1),
  block("docs/serverless.md", "Mail without a server", 2),
  block("docs/serverless.md", "Leaving the sandbox"),
  block("docs/serverless.md", "Watching"),
];

/** Writes down what it was called with, one line for each call and a tab between words, and prints something. */
const STAND_IN = `#!/bin/sh
{ printf '%s' "\${0##*/}"; for word; do printf '\\t%s' "$word"; done; echo; } >> "$CALLS"
echo something
`;

/** Runs the commands of the document in one shell. Returns the calls of each program. */
const run = (): ReadonlyMap<string, readonly (readonly string[])[]> => {
  const folder = newDirectory();
  const calls = join(folder, "calls");
  for (const program of ["aws", "curl", "npx", "postern", "postern-server"])
    writeFileSync(join(folder, program), STAND_IN, { mode: 0o755 });
  const script = COMMANDS.join("\n").replaceAll("/opt/postern/bin/", "");
  const { status, stderr } = spawnSync("sh", ["-euc", script], {
    cwd: ROOT,
    env: { PATH: [folder, process.env["PATH"]].join(delimiter), CALLS: calls },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const lines = readFileSync(calls, "utf8").trimEnd().split("\n");
  return Map.groupBy(
    lines.map((line) => line.split("\t")),
    ([program = ""]) => program,
  );
};

test("the commands run, give the template what it needs, and ask for outputs that it has", () => {
  const aws = run().get("aws") ?? [];
  const deployments = aws.filter(
    ([, service, command]) => `${service} ${command}` === "cloudformation deploy",
  );
  for (const deploy of deployments)
    expect(existsSync(join(ROOT, deploy[deploy.indexOf("--template-file") + 1] ?? ""))).toBe(true);
  const [given = [], ...changed] = deployments.map((deploy) =>
    deploy.slice(deploy.indexOf("--parameter-overrides") + 1).map((word) => word.split("=")[0] ?? ""),
  );
  expect(Object.keys(template.Parameters)).toEqual(expect.arrayContaining(changed.flat()));
  const needed = Object.entries(template.Parameters).filter(([, { Default }]) => Default === undefined);
  expect(given.toSorted()).toEqual(needed.map(([name]) => name).toSorted());

  const asked = aws.flatMap((words) => words.join(" ").match(/(?<=OutputKey==')\w+/g) ?? []);
  expect(asked.length).toBeGreaterThan(5);
  expect(Object.keys(template.Outputs)).toEqual(expect.arrayContaining(asked));
});

test("the mail server's variables are valid, with those of docs/mail.md", () => {
  const folder = newDirectory();
  writeFileSync(join(folder, "secret"), "s".repeat(64), { mode: 0o600 });
  const text = [block("docs/serverless.md", "The mail server"), block("docs/mail.md", "The variables")].join(
    "\n",
  );
  const lines = text
    .replaceAll(/\/etc\/postern\/[\w-]+-secret/g, join(folder, "secret"))
    .replaceAll("example.com", "mail.test")
    .trimEnd()
    .split("\n");
  const variables = Object.fromEntries(
    lines.filter((line) => line !== "").map((line) => line.split(/=(.*)/s)),
  );
  const configuration = readConfiguration({ ...variables, POSTERN_DKIM_KEY: "/etc/postern/dkim.pem" });
  expect(
    configuration.match(
      () => [],
      (problems) => problems,
    ),
  ).toEqual([]);
});

test("docs/serverless.md says what a month costs", () => {
  const document = readFileSync(SERVERLESS_DOCUMENT, "utf8");
  // If this fails: npx -y pnpm@12 serverless-costs
  expect(withServerlessCosts(document, readFileSync(COSTS_DOCUMENT, "utf8"))).toBe(document);
  expect(document).not.toContain("NaN");
});
