import { styleText } from "node:util";
import { err, ok } from "@postern/core";
import type { Diagnosis } from "../command.ts";
import { printLines } from "../print-lines.ts";
import { printable } from "../printable.ts";
import type { Finding, Status } from "./check.ts";
import { checksFor } from "./checks.ts";
import { diagnose } from "./diagnose.ts";

const COLORS = { ok: "green", warning: "yellow", wrong: "red" } as const satisfies Record<Status, string>;

/** Ends the text with a period, unless it is a question, such as which variable was meant. */
const sentence = (text: string): string => (text.endsWith("?") ? text : `${text}.`);

const lineOf = ({ check, status, found, action }: Finding, width: number): string => {
  // Colors on a terminal only.
  const shown = styleText(COLORS[status], status.padEnd("warning".length), { stream: process.stdout });
  return `${shown}  ${check.padEnd(width)}  ${action === null ? found : `${sentence(found)} ${action}.`}`;
};

/** Longer than any text that does not quote another system. */
const MAX_LENGTH = 2_000;

/** Findings quote other systems, such as what the issuer publishes. */
const safe = ({ found, action, ...finding }: Finding): Finding => ({
  ...finding,
  found: printable(found, MAX_LENGTH),
  action: action === null ? null : printable(action, MAX_LENGTH),
});

export const report: Diagnosis["diagnose"] = async (environment, _args, flags) => {
  const checks = checksFor(environment);
  const width = Math.max(...checks.flatMap(({ names }) => names.map((name) => name.length)));
  // Concurrently, in the order of the report.
  const started = checks.map((check) => diagnose(check, environment));
  const findings: Finding[] = [];
  const lines = async function* () {
    for (const each of started) {
      for (const finding of (await each).map(safe)) {
        findings.push(finding);
        if (!flags.has("json")) yield lineOf(finding, width);
      }
    }
    if (flags.has("json")) yield JSON.stringify(findings, null, 2);
  };
  const printed = await printLines(lines());
  if (printed.isErr()) return err(`${printed.error}: the report is incomplete.`);
  const count = (status: Status) => findings.filter((finding) => finding.status === status).length;
  const [wrongs, warnings] = [count("wrong"), count("warning")];
  return wrongs > 0
    ? err(`Wrong: ${wrongs}, warnings: ${warnings}.`)
    : ok(`Nothing is wrong. Warnings: ${warnings}.`);
};
