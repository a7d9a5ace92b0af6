import type { InvalidRequest } from "@postern/core";

/** What is wrong with arguments. `names` has what a command's line calls each field of the operation's input. */
export const explainIssues = (
  { issues }: InvalidRequest,
  names: Readonly<Record<string, string>>,
): string => {
  const reasons = issues.map(({ path: [field = ""], reason }) => `${names[field] ?? field} ${reason}`);
  return `${[...new Set(reasons)].join("; ")}.`;
};
