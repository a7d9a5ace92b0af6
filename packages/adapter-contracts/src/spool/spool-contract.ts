import { bodyChecks } from "./body-checks.ts";
import { copyChecks } from "./copy-checks.ts";
import { limitChecks } from "./limit-checks.ts";
import { logChecks } from "./log-checks.ts";
import { modelChecks } from "./model-checks.ts";
import { outcomeChecks } from "./outcome-checks.ts";
import { pauseChecks } from "./pause-checks.ts";
import { resendChecks } from "./resend-checks.ts";
import type { SpoolCheck } from "./spool-check.ts";
import { sweepChecks } from "./sweep-checks.ts";

/**
 * Everything that a spool must do: a spool is correct if it passes every check.
 *
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { spoolContract } from "@postern/adapter-contracts";
 *
 * for (const { name, run } of spoolContract) test(name, () => run(openMySpool));
 * ```
 */
export const spoolContract: readonly SpoolCheck[] = [
  ...bodyChecks,
  ...copyChecks,
  ...outcomeChecks,
  ...logChecks,
  ...resendChecks,
  ...limitChecks,
  ...pauseChecks,
  ...sweepChecks,
  ...modelChecks,
];
