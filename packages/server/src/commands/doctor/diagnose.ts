import type { Environment } from "../../configuration/configuration.ts";
import { inTime, LATE } from "../../system/in-time.ts";
import { systemCode } from "../../system/system-code.ts";
import { type Check, type Finding, wrong } from "./check.ts";

const DEADLINE_MS = 8_000;

/** Runs a check. If the check itself fails or takes too long, that is reported as wrong. Never rejects. */
export const diagnose = async (
  { names, deadlineMs = DEADLINE_MS, run }: Check,
  environment: Environment,
): Promise<readonly Finding[]> => {
  const notChecked = (why: string, action: string) =>
    names.map((check) => ({ check, ...wrong(`could not be checked (${why})`, action) }));
  try {
    const findings = await inTime(run(environment), deadlineMs);
    if (findings !== LATE) return findings;
    return notChecked(
      `no result within ${deadlineMs / 1000} seconds`,
      "Try again. If this persists, the system that it contacts, the network or the disk hangs",
    );
  } catch (error) {
    return notChecked(`unexpected error: ${systemCode(error)}`, "Report it, with this line");
  }
};
