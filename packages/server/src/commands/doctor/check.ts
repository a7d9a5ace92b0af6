import type { Environment } from "../../configuration/configuration.ts";

/** How bad it is. `wrong`: requests or messages fail or will fail, data could be lost, or something that is configured does not work. */
export type Status = "ok" | "warning" | "wrong";

/** What a check found. Neither text contains an email address, a token, a password or a secret, or ends with a period. */
export type Finding = {
  /** What was checked, such as `store-writes`. Stays the same in later versions. */
  readonly check: string;
  readonly status: Status;
  readonly found: string;
  /** What to do; null if the status is ok. */
  readonly action: string | null;
};

/** Finds out whether something works. Changes nothing. */
export type Check = {
  /** The names of its findings, in order: one finding for each. */
  readonly names: readonly string[];
  /** How long it takes at most, in milliseconds: it must end by itself before that. 8,000 by default. */
  readonly deadlineMs?: number;
  /** The check that must finish first, because this one would change what that one finds. */
  readonly after?: Check;
  /** Whether it is part of the report; always if absent. */
  applies?(environment: Environment): boolean;
  run(environment: Environment): Promise<readonly Finding[]>;
};

export const fine = (check: string, found: string): Finding => ({ check, status: "ok", found, action: null });

export const warning = (check: string, found: string, action: string): Finding => ({
  check,
  status: "warning",
  found,
  action,
});

export const wrong = (check: string, found: string, action: string): Finding => ({
  check,
  status: "wrong",
  found,
  action,
});

const SEVERITY: readonly Status[] = ["wrong", "warning", "ok"];

/** Merges findings into one: all that are not ok, or all of them if every one is ok. The status is the worst. */
export const together = (check: string, findings: readonly Finding[]): Finding => {
  const status = SEVERITY.find((each) => findings.some((finding) => finding.status === each)) ?? "ok";
  const shown = status === "ok" ? findings : findings.filter((finding) => finding.status !== "ok");
  const actions = new Set(shown.map(({ action }) => action).filter((action) => action !== null));
  return {
    check,
    status,
    found: shown.map(({ found }) => found).join("; "),
    action: actions.size === 0 ? null : [...actions].join(". "),
  };
};
