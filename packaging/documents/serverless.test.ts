import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { run } from "../run.ts";

/* What AWS's own tools make of deploy/serverless/template.json. They are installed here: together, they have 190 MB. */

const TOOLS = { "aws-cdk-lib": "2.276.0", "cdk-nag": "3.0.2", constructs: "10.8.1" };

/** Includes the template, which the CDK reads as its own, and applies AWS's rules for good architectures. */
const SYNTH = `
  const { App, Stack, Validations } = require("aws-cdk-lib");
  const { CfnInclude } = require("aws-cdk-lib/cloudformation-include");
  const { AwsSolutionsChecks } = require("cdk-nag");
  const app = new App({ outdir: "out" });
  new CfnInclude(new Stack(app, "Postern"), "Template", { templateFile: "template.json" });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  try {
    app.synth();
  } catch {
    // Because rules are broken: the report says which.
  }
`;

/** The rules that we break, and why. */
const BROKEN: Readonly<Record<string, string>> = {
  APIG1: "An access log would have the tokens of verification links",
  APIG2: "The API validates its requests",
  APIG3: "A firewall is up to the operator",
  APIG4: "Open routes and preflights; a test compares them with the routes",
  APIG6: "The function logs what failed",
  CFR1: "The app is for every country",
  CFR2: "A firewall is up to the operator",
  CFR3: "The app's files are the same for everybody",
  COG1: "Length counts, not kinds of characters (NIST SP 800-63B, section 5.1.1)",
  COG2: "People choose whether they use an authenticator app",
  COG4: "Open routes; a test compares them with the routes",
  COG8: "The tier is up to the operator",
  DDB3: "A spool that is restored would send again what it has sent",
  IAM5: "SES may ask for the identity of any recipient; the sender is fixed",
  S1: "The app's files are the same for everybody",
  S10: "Only CloudFront reads the bucket, by TLS",
  SMG4: "If the secret of mailboxes changed, no API key would work",
  SNS3: "Only CloudWatch writes to the topic, by TLS",
  SQS4: "Only EventBridge and Lambda use the queues, by TLS",
};

const Report = z.object({
  pluginReports: z.array(z.object({ violations: z.array(z.object({ ruleName: z.string() })) })),
});

const folder = newDirectory();

beforeAll(async () => {
  cpSync(join(import.meta.dirname, "../../deploy/serverless/template.json"), join(folder, "template.json"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: TOOLS }));
  writeFileSync(join(folder, "synth.cjs"), SYNTH);
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
});

test("the CDK reads the template, and it breaks only rules that we know of", async () => {
  await run(process.execPath, ["synth.cjs"], folder);
  const report = Report.parse(JSON.parse(readFileSync(join(folder, "out/validation-report.json"), "utf8")));
  const broken = report.pluginReports
    .flatMap(({ violations }) => violations)
    .map(({ ruleName }) => /^AwsSolutions-(\w+)/.exec(ruleName)?.[1] ?? ruleName);
  expect([...new Set(broken)].toSorted()).toEqual(Object.keys(BROKEN).toSorted());
});
